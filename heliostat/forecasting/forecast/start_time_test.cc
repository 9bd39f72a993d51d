#include "heliostat/forecasting/forecast/start_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

namespace heliostat::forecast {
namespace {

using namespace std::chrono_literals;

const Instant kMidnight = std::chrono::sys_days{std::chrono::year{2024} / 6 / 3};

SignalAhead Hours(std::vector<double> values, std::vector<std::vector<double>> futures = {}) {
  return {kMidnight, 1h, std::move(values), std::move(futures)};
}

TEST(AdviseStart, FindsTheLowestWindowAndTheNextOnes) {
  const auto advice = AdviseStart({2h, 8h}, kMidnight, Hours({10, 10, 4, 4, 10, 10, 6, 6}));
  ASSERT_TRUE(advice.has_value()) << advice.error().Line();
  EXPECT_TRUE(advice->waits);
  EXPECT_DOUBLE_EQ(advice->now.mean, 10.0);
  ASSERT_EQ(advice->best.size(), 3U);
  EXPECT_EQ(advice->best[0].start, kMidnight + 2h);
  EXPECT_DOUBLE_EQ(advice->best[0].saving, 6.0);
  EXPECT_EQ(advice->best[1].start, kMidnight + 6h);
  EXPECT_DOUBLE_EQ(advice->best[1].saving, 4.0);
  // The third is the next that differs from both by half of the duration: hours 1 and 3 are as good as each other.
  EXPECT_DOUBLE_EQ(advice->best[2].saving, 3.0);
}

TEST(AdviseStart, CountsFromNowAlsoInsideAStep) {
  const auto advice = AdviseStart({1h, 150min}, kMidnight + 30min, Hours({8, 4, 2}));
  ASSERT_TRUE(advice.has_value()) << advice.error().Line();
  EXPECT_DOUBLE_EQ(advice->now.mean, 6.0);
  EXPECT_EQ(advice->best[0].start, kMidnight + 2h);  // the latest start: it ends exactly in time
  EXPECT_DOUBLE_EQ(advice->best[0].mean, 2.0);
}

TEST(AdviseStart, SaysToStartNowWhenLittleIsGained) {
  EXPECT_FALSE(AdviseStart({1h, 3h}, kMidnight, Hours({5, 6, 7}))->waits);
  EXPECT_TRUE(AdviseStart({1h, 3h}, kMidnight, Hours({5, 6, 7}))->best.empty());
  EXPECT_FALSE(AdviseStart({1h, 3h}, kMidnight, Hours({100, 99.5, 100}))->waits);
  EXPECT_TRUE(AdviseStart({1h, 3h}, kMidnight, Hours({100, 98, 100}))->waits);
  EXPECT_FALSE(AdviseStart({3h, 3h}, kMidnight, Hours({9, 6, 7}))->waits);
  // Prices may be negative: less is still better.
  EXPECT_TRUE(AdviseStart({1h, 3h}, kMidnight, Hours({-1, -5, 2}))->waits);
}

TEST(AdviseStart, TheRangeContainsThatErrorsAreCorrelated) {
  // Every future is the forecast plus one number: the level is unknown, the saving is certain.
  std::vector<std::vector<double>> levels;
  for (int i = -50; i <= 50; ++i) levels.push_back({100.0 + i, 60.0 + i});
  const auto certain = AdviseStart({1h, 2h}, kMidnight, Hours({100, 60}, levels));
  EXPECT_NEAR(certain->best[0].saving_low, 40.0, 1e-9);
  EXPECT_NEAR(certain->best[0].saving_high, 40.0, 1e-9);
  EXPECT_DOUBLE_EQ(certain->best[0].chance, 1.0);
  // Opposite errors: the saving is twice as uncertain as the level.
  for (int i = -50; i <= 50; ++i) levels[static_cast<std::size_t>(i + 50)] = {100.0 + i, 60.0 - i};
  const auto open = AdviseStart({1h, 2h}, kMidnight, Hours({100, 60}, levels));
  EXPECT_NEAR(open->best[0].saving_low, 40.0 - 90.0, 1e-9);
  EXPECT_NEAR(open->best[0].saving_high, 40.0 + 90.0, 1e-9);
  EXPECT_NEAR(open->best[0].chance, 70.0 / 101.0, 0.01);
}

TEST(AdviseStart, RefusesAJobThatDoesNotFit) {
  EXPECT_FALSE(AdviseStart({3h, 2h}, kMidnight, Hours({1, 2, 3})).has_value());
  EXPECT_FALSE(AdviseStart({0h, 2h}, kMidnight, Hours({1, 2, 3})).has_value());
  EXPECT_FALSE(AdviseStart({1h, 4h}, kMidnight, Hours({1, 2, 3})).has_value());
  EXPECT_FALSE(AdviseStart({1h, 2h}, kMidnight - 1s, Hours({1, 2, 3})).has_value());
}

// No start of a whole step is better than the advice, and the ranges contain the expected saving.
using Values = std::vector<double>;

TEST(PastForecasts, AreThoseThatAreKnownToTheirEnd) {
  const auto series = *signal::StepSeries::Make(kMidnight, 1h, {1, 2, 3, 4, 5, signal::Missing(), 7, 8, 9});
  ErrorRecord record(ErrorScale::kAbsolute, 10);
  const auto add = [&](Duration at, Values forecast, Values actual) { record.Add(kMidnight + at, forecast, actual); };
  add(0h, {9, 9}, {1, 2});                  // has no step before it
  add(2h, {30, 40}, {3, 4});                // whole
  add(4h, {9, 9}, {5, signal::Missing()});  // a value is missing
  add(7h, {80, 90}, {8, 9});                // whole
  add(8h, {9, 9}, {9, signal::Missing()});  // reaches past the end
  const auto past = PastForecasts(record, series, 1, 2);
  ASSERT_EQ(past.size(), 2U);
  EXPECT_EQ(past[0].origin, kMidnight + 2h);
  EXPECT_EQ(past[0].expected, (Values{2, 30, 40}));
  EXPECT_EQ(past[0].actual, (Values{2, 3, 4}));
  EXPECT_EQ(past[1].expected, (Values{7, 80, 90}));
}

RC_GTEST_PROP(AdviseStart, NoOtherStartIsBetter, ()) {
  const auto values = *rc::gen::container<std::vector<int>>(24, rc::gen::inRange(0, 1000));
  std::vector<double> expected(values.begin(), values.end());
  const int hours = *rc::gen::inRange(1, 24);
  const auto advice = AdviseStart({1h * hours, 24h}, kMidnight, Hours(expected, {expected, expected}));
  RC_ASSERT(advice.has_value());
  const double best = advice->best.empty() ? advice->now.mean : advice->best[0].mean;
  for (int start = 0; start + hours <= 24; ++start) {
    double mean = 0.0;
    for (int i = 0; i < hours; ++i) mean += expected[static_cast<std::size_t>(start + i)] / hours;
    RC_ASSERT(best <= mean + 1e-9);
  }
  for (const StartOption& option : advice->best) {
    RC_ASSERT(option.saving_low <= option.saving && option.saving <= option.saving_high);
  }
}

TEST(BacktestStarts, OfASignalThatRepeatsItselfIsAsGoodAsPerfectKnowledge) {
  std::vector<double> values;
  for (int hour = 0; hour < 24 * 30; ++hour) {
    values.push_back(300.0 + 100.0 * std::cos(hour % 24 / 24.0 * 2.0 * std::numbers::pi));
  }
  History all{{"carbon", {}, *signal::StepSeries::Make(kMidnight, 1h, values)}, {}, {}};
  all.target.meaning.kind = signal::Kind::kCarbonIntensity;
  BacktestSchedule schedule;
  schedule.first = kMidnight + 24h * 20;
  schedule.last = all.end();
  schedule.every = 7h;
  schedule.horizon = 24h;
  const auto score = BacktestStarts(all, schedule, *CandidateOf("yesterday"), {4h, 24h}, 50, {});
  ASSERT_TRUE(score.has_value()) << score.error().Line();
  EXPECT_GT(score->origins, 25U);
  EXPECT_NEAR(score->advised, score->oracle, 1e-6);
  EXPECT_LT(score->oracle, score->now - 30.0);
  EXPECT_NEAR(score->promised_saving, score->now - score->advised, 1e-6);
  EXPECT_EQ(score->worse, 0U);
}

}  // namespace
}  // namespace heliostat::forecast
