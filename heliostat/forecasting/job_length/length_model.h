#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/forecasting/job_length/calibration.h"
#include "heliostat/forecasting/job_length/history.h"
#include "heliostat/forecasting/job_length/job.h"

namespace heliostat::job_length {

// The shares of jobs that are no longer than the quantiles of a prediction.
inline constexpr std::array<double, 5> kShares{0.05, 0.25, 0.5, 0.75, kHighestShare};
inline constexpr std::size_t kMedian = 2;
inline constexpr std::size_t kUpperQuartile = 3;
inline constexpr std::size_t kHighest = 4;
using Quantiles = std::array<Duration, kShares.size()>;

// The jobs that a prediction mostly comes from.
enum class Source {
  kNameAndGpus,
  kName,
  kUserGpusAndLimit,
  kUser,
  kAccountAndGpus,
  kAccount,
  kLimit,
  kAll,
  kTimeLimit,  // no job: the time limit itself
};
inline constexpr std::size_t kSources = kLevels + 1;

// "user-name-gpus".
std::string_view NameOf(Source source);

// How long a job will run.
struct Prediction {
  Quantiles quantiles{};  // for kShares; they rise, and none is above the time limit
  Source source = Source::kAll;
  std::size_t jobs = 0;  // of the source; 0 for kTimeLimit

  Duration median() const { return quantiles[kMedian]; }
  Duration highest() const { return quantiles[kHighest]; }
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

// For users: "from 37 jobs of the same user and name".
std::string InWords(const Prediction& prediction);

// Predicts the lengths of jobs from those that have ended. The lengths of jobs that have the most in common with the
// new one count most; those that have less in common make up for their small number. A job whose time limit ended it
// counts as long as the limit of the new job, as it would have run longer. Not thread-safe.
class LengthModel {
 public:
  explicit LengthModel(std::size_t most_keys = 65536) : history_(most_keys) {}

  // Of a job that is submitted now. A job of a user and an account without ended jobs gets its time limit for all
  // quantiles; without a limit it is predicted from all jobs. Nothing where there are none.
  std::optional<Prediction> Predict(const JobTraits& traits) const;

  // A job has ended. `at_submission` is what was predicted for it, if anything was: the model learns from it how far
  // its quantiles can be trusted. Jobs must be given in the order in which they ended.
  void Learn(const EndedJob& job, const std::optional<Prediction>& at_submission);

 private:
  History history_;
  std::array<Calibration, kSources> calibrations_{};
};

}  // namespace heliostat::job_length
