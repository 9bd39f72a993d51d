#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/forecasting/job_length/backtest.h"

namespace heliostat::job_length::testing {

// Made-up jobs of 30 users with five programs each. A program has a typical length, which drifts and now and then
// jumps, as when its data change. Single runs are log-normal around it; one of ten fails early, one of fifty takes ten
// times as long. Limits are round and generous, and some jobs reach them. Users come back to a program several times
// before they take another one. In the order of submission.
inline std::vector<PastJob> SyntheticHistory(std::size_t count, std::uint64_t seed) {
  constexpr std::size_t kUsers = 30;
  constexpr std::size_t kPrograms = 5;
  RandomStream random(seed);
  std::vector<double> typical_s(kUsers * kPrograms);
  for (double& one : typical_s) one = std::exp(random.Normal(std::log(3600.0), 1.5));
  std::vector<std::size_t> current(kUsers, 0);
  std::vector<PastJob> jobs;
  double now_s = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    now_s += random.Exponential(120.0);
    const std::size_t user = static_cast<std::size_t>(random.Below(kUsers));
    if (random.Chance(0.2)) current[user] = static_cast<std::size_t>(random.Below(kPrograms));
    double& typical = typical_s[user * kPrograms + current[user]];
    typical *= std::exp(random.Normal(0.0, 0.01));
    if (random.Chance(0.003)) typical = std::exp(random.Normal(std::log(3600.0), 1.5));
    double length_s = typical * std::exp(random.Normal(0.0, 0.3));
    Ending ending = Ending::kCompleted;
    if (random.Chance(0.02)) length_s *= 10.0;
    if (random.Chance(0.1)) {
      length_s *= random.Uniform(0.01, 0.5);
      ending = Ending::kFailed;
    }
    const double limit_s = std::pow(2.0, std::ceil(std::log2(typical * 3.0)));
    if (length_s >= limit_s) {
      length_s = limit_s;
      ending = Ending::kTimedOut;
    }
    PastJob job;
    job.job.traits.user = "user-" + std::to_string(user);
    job.job.traits.account = "account-" + std::to_string(user % 4);
    job.job.traits.name = "program" + std::string(1, static_cast<char>('a' + current[user])) + std::to_string(i);
    job.job.traits.gpus = 1 << (current[user] % 4);
    job.job.traits.time_limit = Duration{std::max(60LL, std::llround(limit_s))};
    job.job.length = std::clamp(Duration{std::llround(length_s)}, Duration{1}, *job.job.traits.time_limit);
    job.job.ending = ending;
    job.submit = Duration{std::llround(now_s)};
    job.wait = Duration{static_cast<std::int64_t>(random.Below(600))};
    jobs.push_back(std::move(job));
  }
  return jobs;
}

}  // namespace heliostat::job_length::testing
