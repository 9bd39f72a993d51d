#include "heliostat/model/workload/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "heliostat/base/core/units.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr Instant kMonday = std::chrono::sys_days{std::chrono::year{2024} / 6 / 3};

Crowd WeeksOf(std::size_t jobs, int weeks, std::uint64_t seed = 1) {
  return {.seed = seed, .jobs = jobs, .span = {kMonday, kMonday + 24h * 7 * weeks}};
}

TEST(Generate, IsTheSameForTheSameSeedAndAnotherForAnother) {
  EXPECT_EQ(*Generate(WeeksOf(200, 1)), *Generate(WeeksOf(200, 1)));
  EXPECT_NE(Generate(WeeksOf(200, 1))->jobs, Generate(WeeksOf(200, 1, 2))->jobs);
}

TEST(Generate, GivesALargerCrowdTheSmallerOnesWork) {
  const auto sizes = [](const Trace& trace) {
    std::multimap<std::int64_t, int> sizes_of;
    for (const TraceJob& job : trace.jobs) sizes_of.emplace(job.length.count(), job.gpus);
    return sizes_of;
  };
  const auto small = sizes(*Generate(WeeksOf(50, 1)));
  const auto large = sizes(*Generate(WeeksOf(60, 1)));
  EXPECT_TRUE(std::ranges::includes(large, small));
}

RC_GTEST_PROP(Generate, KeepsEveryWindowInsideTheSpan, ()) {
  const int hours = *rc::gen::inRange(1, 400);
  Crowd crowd{.seed = *rc::gen::arbitrary<std::uint64_t>(), .jobs = 40, .span = {kMonday, kMonday + 1h * hours}};
  crowd.slack = 1.2 + *rc::gen::inRange(0, 100) / 10.0;
  crowd.best_effort = *rc::gen::inRange(0, 11) / 10.0;
  const auto trace = Generate(crowd);
  RC_ASSERT(trace.has_value());
  RC_ASSERT(std::ranges::is_sorted(trace->jobs, {}, &TraceJob::submit));
  for (const TraceJob& job : trace->jobs) {
    RC_ASSERT(job.is_best_effort != job.deadline.has_value());
    RC_ASSERT(job.submit >= 0s && job.length > 0s);
    RC_ASSERT(job.submit + job.deadline.value_or(job.length) <= crowd.span.length());
    if (job.deadline) RC_ASSERT(*job.deadline + 1s >= job.length);
  }
}

TEST(Generate, ComesToTheGpuHoursAskedFor) {
  Crowd crowd = WeeksOf(0, 1);
  crowd.jobs.reset();
  for (const double asked : {0.0, 50.0, 1000.0, 20000.0}) {
    crowd.gpu_hours = asked;
    // The last job is cut short, or left out when the rest would be too short.
    EXPECT_NEAR(Generate(crowd)->gpu_hours(), asked, 1.0) << asked;
  }
  crowd.jobs = 500;
  crowd.gpu_hours = 3000.0;
  const auto stretched = Generate(crowd);
  EXPECT_EQ(stretched->jobs.size(), 500U);
  EXPECT_NEAR(stretched->gpu_hours(), 3000.0, 3.0);
}

TEST(Generate, FollowsTheHourOfTheDayOfThePeople) {
  Crowd crowd = WeeksOf(40000, 20);
  crowd.lengths = {.median_hours = 0.1, .spread = 0.0, .tail_share = 0.0};
  crowd.arrivals.by_weekday.fill(1.0);
  crowd.local_offset = 9h;
  const auto trace = Generate(crowd);
  std::array<double, 24> counts{};
  for (const TraceJob& job : trace->jobs) counts[static_cast<std::size_t>(((job.submit + 9h) % 24h) / 1h)] += 1.0;
  double weights = 0.0;
  for (const double weight : crowd.arrivals.by_hour) weights += weight;
  for (std::size_t hour = 0; hour < 24; ++hour) {
    const double expected = 40000.0 * crowd.arrivals.by_hour[hour] / weights;
    EXPECT_NEAR(counts[hour], expected, 5.0 * std::sqrt(expected)) << hour;
  }
}

TEST(Generate, IsQuieterAtWeekends) {
  Crowd crowd = WeeksOf(20000, 20);
  crowd.lengths = {.median_hours = 0.1, .spread = 0.0, .tail_share = 0.0};
  const auto trace = Generate(crowd);
  double weekend = 0.0;
  for (const TraceJob& job : trace->jobs) weekend += (job.submit / 24h) % 7 >= 5 ? 1.0 : 0.0;
  EXPECT_NEAR(weekend / 20000.0, 1.35 / 7.0, 0.02);
}

TEST(Generate, HasLogNormalLengthsWithAParetoTail) {
  Crowd crowd = WeeksOf(20000, 52);
  crowd.lengths.longest_hours = 1e6;
  const auto trace = Generate(crowd);
  std::vector<double> hours;
  for (const TraceJob& job : trace->jobs) hours.push_back(Seconds(job.length).count() / 3600.0);
  std::ranges::sort(hours);
  EXPECT_NEAR(hours[hours.size() / 2], 1.0, 0.15);
  // Hill's estimate over the longest 0.5 %, which belong to the tail only.
  const std::size_t from = hours.size() - hours.size() / 200;
  double logs = 0.0;
  for (std::size_t i = from; i < hours.size(); ++i) logs += std::log(hours[i] / hours[from]);
  EXPECT_NEAR(static_cast<double>(hours.size() - from) / logs, crowd.lengths.tail_exponent, 0.5);
}

TEST(Generate, DrawsSlackAndBestEffortAsAsked) {
  Crowd crowd = WeeksOf(20000, 52);
  crowd.best_effort = 0.25;
  crowd.slack = 4.0;
  const auto trace = Generate(crowd);
  double slack = 0.0;
  double due = 0.0;
  for (const TraceJob& job : trace->jobs) {
    if (!job.deadline) continue;
    due += 1.0;
    slack += Seconds(*job.deadline) / Seconds(job.length);
  }
  EXPECT_NEAR(due / 20000.0, 0.75, 0.02);
  EXPECT_NEAR(slack / due, 4.0, 0.1);
}

TEST(Generate, WantsPowersOfTwoInTheirProportion) {
  const auto trace = Generate(WeeksOf(20000, 1));
  std::map<int, double> shares;
  for (const TraceJob& job : trace->jobs) shares[job.gpus] += 1.0 / 20000.0;
  ASSERT_EQ(shares.size(), 4U);
  EXPECT_NEAR(shares[1], 0.68, 0.02);
  EXPECT_NEAR(shares[8], 0.09, 0.02);
}

TEST(Generate, RefusesWhatCannotBe) {
  Crowd crowd = WeeksOf(1, 1);
  crowd.slack = 0.5;
  EXPECT_THAT(Generate(crowd).error().Line(), HasSubstr("slack of 0.5; must be 1.2 or more"));
  crowd = WeeksOf(1, 1);
  crowd.jobs.reset();
  EXPECT_THAT(Generate(crowd).error().Line(), HasSubstr("neither"));
  crowd = WeeksOf(1, 0);
  EXPECT_THAT(Generate(crowd).error().Line(), HasSubstr("span of 0 s"));
  crowd = WeeksOf(1, 1);
  crowd.best_effort = 1.5;
  EXPECT_THAT(Generate(crowd).error().Line(), HasSubstr("1.5"));
}

}  // namespace
}  // namespace heliostat::workload
