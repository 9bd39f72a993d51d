#include "heliostat/forecasting/job_length/backtest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "heliostat/forecasting/job_length/running_median.h"
#include "heliostat/forecasting/job_length/score.h"
#include "heliostat/forecasting/job_length/testing/synthetic_history.h"

namespace heliostat::job_length {
namespace {

using namespace std::chrono_literals;

const Score& ScoreOf(const ScoredGroup& group, Rule rule) {
  return *std::ranges::find(group.scores, rule, &Score::rule);
}

TEST(Rehearse, KnowsOnlyJobsThatEndedBefore) {
  PastJob first;
  first.job = {.traits = {.user = "ada"}, .length = 1h};
  PastJob during = first;
  during.submit = 1h + 10min;
  PastJob after = during;
  after.submit = 1h + 10min + 1s;
  first.wait = 10min;
  const auto rehearsed = Rehearse(std::vector{first, during, after});
  EXPECT_FALSE(rehearsed[0].predicted);
  EXPECT_FALSE(rehearsed[1].predicted);  // the first one ends at this moment
  ASSERT_TRUE(rehearsed[2].predicted);
  EXPECT_EQ(rehearsed[2].predicted->median(), 1h);
  EXPECT_EQ(rehearsed[2].user_median, 1h);
}

// Whatever is not known at a submission is replaced by noise, the job's own length included.
RC_GTEST_PROP(Rehearse, DoesNotSeeTheFuture, ()) {
  const auto jobs = testing::SyntheticHistory(150, *rc::gen::arbitrary<std::uint64_t>());
  const auto index = *rc::gen::inRange<std::size_t>(0, jobs.size());
  const Duration now = jobs[index].submit;
  std::vector<PastJob> noisy = jobs;
  RandomStream noise(*rc::gen::arbitrary<std::uint64_t>());
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    PastJob& job = noisy[i];
    if (job.end() < now) continue;
    const Duration least = std::max(1s, now - job.submit - job.wait);
    job.job.length = least + Duration{static_cast<std::int64_t>(noise.Below(100'000))};
    job.job.ending = noise.Chance(0.5) ? Ending::kFailed : Ending::kTimedOut;
    if (i <= index) continue;
    job.job.traits = {.user = "user-0", .account = "noise", .name = "noise", .gpus = 1, .time_limit = 1min};
  }
  const auto honest = Rehearse(jobs);
  const auto disturbed = Rehearse(noisy);
  RC_ASSERT(honest[index].predicted == disturbed[index].predicted);
  RC_ASSERT(honest[index].user_median == disturbed[index].user_median);
  RC_ASSERT(honest[index].all_median == disturbed[index].all_median);
}

class SyntheticJobs : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SyntheticJobs, ArePredictedBetterThanByLimitsAndMedians) {
  const auto rehearsed = Rehearse(testing::SyntheticHistory(5000, GetParam()));
  // The first dozen runs of each program teach what later ones are measured by.
  const auto groups = ScoreAll(std::span(rehearsed).subspan(2000));
  const ScoredGroup& all = groups.front();
  const Score& ours = ScoreOf(all, Rule::kModel);
  EXPECT_GE(ours.coverage95, 0.93);
  EXPECT_LE(ours.coverage95, 0.97);
  for (const Rule rule : {Rule::kTimeLimit, Rule::kUserMedian, Rule::kAllMedian}) {
    const Score& other = ScoreOf(all, rule);
    EXPECT_LT(ours.median_relative_error, 0.6 * other.median_relative_error) << NameOf(rule);
    EXPECT_LT(ours.pinball[0], other.pinball[0]) << NameOf(rule);
    EXPECT_LT(ours.pinball[1], other.pinball[1]) << NameOf(rule);
    // A limit is no bad guess of the longest time that a job may take.
    if (rule != Rule::kTimeLimit) EXPECT_LT(ours.pinball[2], other.pinball[2]) << NameOf(rule);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, SyntheticJobs, ::testing::Values(1, 2, 3));

TEST(ScoreAll, CountsEachJobOnceInEveryPartition) {
  const auto rehearsed = Rehearse(testing::SyntheticHistory(2000, 4));
  const auto groups = ScoreAll(rehearsed);
  const auto counted = std::ranges::count_if(
      rehearsed, [](const Rehearsed& job) { return job.predicted.has_value() && job.all_median.has_value(); });
  for (const char* by : {"all", "source", "gpus", "length"}) {
    std::size_t sum = 0;
    for (const ScoredGroup& group : groups) sum += group.by == by ? group.jobs : 0;
    EXPECT_EQ(sum, static_cast<std::size_t>(counted)) << by;
  }
}

TEST(ScoreAll, ComputesErrorsAndLosses) {
  Rehearsed job{
      .length = 100s, .gpus = 1, .predicted = Prediction{}, .time_limit = 400s, .user_median = 50s, .all_median = 100s};
  job.predicted->quantiles = {10s, 20s, 80s, 120s, 200s};
  const auto groups = ScoreAll(std::vector{job});
  const Score& ours = ScoreOf(groups.front(), Rule::kModel);
  EXPECT_DOUBLE_EQ(ours.median_relative_error, 0.2);
  EXPECT_DOUBLE_EQ(ours.pinball[0].count(), 10.0);
  EXPECT_DOUBLE_EQ(ours.pinball[1].count(), 5.0);
  EXPECT_NEAR(ours.pinball[2].count(), 5.0, 1e-9);
  EXPECT_DOUBLE_EQ(ours.coverage95, 1.0);
  EXPECT_NEAR(ScoreOf(groups.front(), Rule::kTimeLimit).pinball[2].count(), 15.0, 1e-9);
  EXPECT_DOUBLE_EQ(ScoreOf(groups.front(), Rule::kUserMedian).coverage95, 0.0);
}

RC_GTEST_PROP(RunningMedian, IsTheMiddleOfAllLengths, (std::vector<std::uint16_t> lengths)) {
  RunningMedian median;
  RC_ASSERT(!median.Value().has_value());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    median.Add(Duration{lengths[i]});
    std::vector<std::uint16_t> sorted(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    std::ranges::sort(sorted);
    RC_ASSERT(*median.Value() == Duration{sorted[i / 2]});
  }
}

}  // namespace
}  // namespace heliostat::job_length
