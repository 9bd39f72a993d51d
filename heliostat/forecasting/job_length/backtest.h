#pragma once

#include <optional>
#include <span>
#include <vector>

#include "heliostat/forecasting/job_length/job.h"
#include "heliostat/forecasting/job_length/length_model.h"

namespace heliostat::job_length {

// A job of the past, with its times.
struct PastJob {
  EndedJob job{};
  Duration submit{};  // since any moment that is the same for all jobs
  Duration wait{};    // from submit to start

  Duration end() const { return submit + wait + job.length; }
};

// What was known about the length of one job when it was submitted, and how long it ran.
struct Rehearsed {
  Duration length{};
  int gpus = 1;
  std::optional<Prediction> predicted{};
  // What simpler rules say.
  std::optional<Duration> time_limit{};
  std::optional<Duration> user_median{};  // of all ended jobs where the user has none
  std::optional<Duration> all_median{};
};

// Predicts each job at its submission, from only those jobs that had ended before. `jobs` must be in the order of their
// submission; the result is in the same order.
std::vector<Rehearsed> Rehearse(std::span<const PastJob> jobs);

}  // namespace heliostat::job_length
