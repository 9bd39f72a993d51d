#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/base/core/time.h"
#include "heliostat/model/workload/trace.h"

namespace heliostat::workload {

// When jobs arrive: a Poisson process whose rate follows the hour of the day and the day of the week. Only ratios
// count. By default most jobs arrive before and after noon, and fewer at weekends, as in public traces.
struct Arrivals {
  std::array<double, 24> by_hour{0.55, 0.50, 0.45, 0.42, 0.42, 0.45, 0.55, 0.75, 1.05, 1.40, 1.60, 1.60,
                                 1.35, 1.50, 1.65, 1.65, 1.55, 1.35, 1.10, 1.00, 0.95, 0.90, 0.80, 0.65};
  std::array<double, 7> by_weekday{1.10, 1.15, 1.15, 1.15, 1.10, 0.70, 0.65};  // from Monday
};

// How long jobs run: a log-normal body, and a Pareto tail for a few long jobs. Public traces have a wider body (Philly:
// spread 2.2) with a median of minutes; the default is hours, because plans have slots of hours.
struct Lengths {
  double median_hours = 1.0;
  double spread = 1.1;  // standard deviation of the logarithm
  double tail_share = 0.05;
  double tail_from_hours = 8.0;
  double tail_exponent = 1.5;  // Philly's longest 1 %: 1.46
  double shortest_hours = 1.0 / 12.0;
  double longest_hours = 72.0;
};

// The demand on a cluster. At least one of `jobs` and `gpu_hours` must be set. `jobs` alone gives that many jobs.
// `gpu_hours` alone gives jobs up to that sum; the last is cut short. With both, all lengths are scaled by one factor
// to reach the sum.
struct Crowd {
  std::uint64_t seed = 1;
  std::optional<std::size_t> jobs{};
  std::optional<double> gpu_hours{};
  // All submissions and deadlines are inside this span, and so are jobs without a deadline if they begin at once. Its
  // dates set the days of the week.
  Interval span;
  Duration local_offset{};  // of local time from UTC
  Arrivals arrivals{};
  Lengths lengths{};
  // Weights of 1, 2, 4, 8 … GPUs per job. Between Philly (93 % with one GPU) and PAI (74 %).
  std::vector<double> gpu_weights{0.68, 0.12, 0.11, 0.09};
  // (deadline - submit) / length is `least_slack` plus an exponential variable, so that the mean is `slack`.
  double slack = 3.0;
  double least_slack = 1.2;
  double best_effort = 0.1;  // share of jobs without a deadline
};

// Draws the slack of one job.
double DrawSlack(double least, double mean, RandomStream& random);

// Generates the trace of a crowd; times count from span.begin. Deterministic, and each job depends only on its number:
// a larger crowd has the lengths and GPUs of the smaller one. Fails for numbers out of range.
Result<Trace> Generate(const Crowd& crowd);

}  // namespace heliostat::workload
