#pragma once

#include <vector>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::admission {

// A span in which the jobs whose windows lie inside it need more GPU time than there is.
struct Shortage {
  Interval span;
  double wanted_gpu_s = 0.0;  // at least
  double there_gpu_s = 0.0;   // at most, without the GPUs that services need
  std::size_t least = 0;      // how many of these jobs miss their deadlines at least
};

// How many deadlines every plan misses at least, and what proves it.
struct MissBound {
  std::size_t least = 0;
  std::vector<std::size_t> alone;     // jobs that miss even if they run alone
  std::vector<Shortage> shortages{};  // the worst span per begin, in order of begins
};

// Proven: no plan that serves all requests keeps more deadlines. Compares GPU time only; speeds and power caps could
// make it worse. Jobs without a deadline count only with limits.finish_best_effort: they are due at the end.
MissBound LeastMisses(const scenario::Scenario& scenario, const plan::Limits& limits);

// Whether a plan must have finished this job by the end of its window.
inline bool MustBeDone(const scenario::Job& job, const plan::Limits& limits) {
  return job.deadline.has_value() || limits.finish_best_effort;
}

}  // namespace heliostat::admission
