#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "heliostat/base/core/units.h"
#include "heliostat/forecasting/job_length/backtest.h"

namespace heliostat::job_length {

// Who says how long a job will run.
enum class Rule { kModel, kTimeLimit, kUserMedian, kAllMedian };
inline constexpr std::array kRules{Rule::kModel, Rule::kTimeLimit, Rule::kUserMedian, Rule::kAllMedian};
// "median of the user".
std::string_view NameOf(Rule rule);

// How well a rule did. A simple rule has one value, which stands for all of its quantiles.
struct Score {
  Rule rule = Rule::kModel;
  std::size_t jobs = 0;
  double median_relative_error = 0.0;  // of |median - length| / length
  // Means of the pinball loss of the quantiles of 50, 75 and 95 %. It is least, in the long run, for the right
  // quantile.
  std::array<Seconds, 3> pinball{};
  double coverage95 = 0.0;  // share of jobs no longer than the quantile of 95 %
};

// Jobs that have something in common, and the score of each rule for them. Rules that say nothing about them are left
// out.
struct ScoredGroup {
  std::string by;    // "all", "source", "gpus" or "length"
  std::string name;  // "user-name", "5-8", "1 h - 6 h"
  std::size_t jobs = 0;
  std::vector<Score> scores{};
};

// Scores of all jobs, of each source, of numbers of GPUs and of lengths, in this order, without empty groups. A job
// counts if the model and the medians say something about it.
std::vector<ScoredGroup> ScoreAll(std::span<const Rehearsed> jobs);

}  // namespace heliostat::job_length
