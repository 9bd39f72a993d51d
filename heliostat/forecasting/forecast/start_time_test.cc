#include "heliostat/forecasting/forecast/start_time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>

#include "heliostat/base/core/random.h"

namespace heliostat::forecast {
namespace {

using namespace std::chrono_literals;

const Instant kMidnight = std::chrono::sys_days{std::chrono::year{2024} / 6 / 3};

SignalAhead Hours(std::vector<double> values, std::vector<PastForecast> past = {}) {
  return {kMidnight, 1h, std::move(values), std::move(past)};
}

// Past forecasts, one per day, that all said `expected` and turned out as `actual(i)`, for each i from -50 to 50 in no
// order.
template <typename Actual>
std::vector<PastForecast> Days(std::vector<double> expected, Actual actual) {
  std::vector<PastForecast> past;
  for (int day = 0; day <= 100; ++day)
    past.push_back({kMidnight - 24h * (101 - day), expected, actual(day * 37 % 101 - 50)});
  return past;
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

using Values = std::vector<double>;

TEST(AdviseStart, TheRangeContainsThatErrorsAreCorrelated) {
  // Every forecast was wrong by one number: the level is unknown, the saving is certain.
  const auto level = Days({100, 60}, [](int i) { return Values{100.0 + i, 60.0 + i}; });
  const auto certain = AdviseStart({1h, 2h}, kMidnight, Hours({100, 60}, level));
  EXPECT_NEAR(certain->best[0].saving_low, 40.0, 1e-9);
  EXPECT_NEAR(certain->best[0].saving_high, 40.0, 1e-9);
  EXPECT_DOUBLE_EQ(certain->best[0].chance, 1.0);
  // Opposite errors: the saving is twice as uncertain as the level.
  const auto opposite = Days({100, 60}, [](int i) { return Values{100.0 + i, 60.0 - i}; });
  const auto open = AdviseStart({1h, 2h}, kMidnight, Hours({100, 60}, opposite));
  EXPECT_NEAR(open->best[0].saving, 40.0, 4.0);
  EXPECT_NEAR(open->best[0].saving_low, 40.0 - 90.0, 10.0);
  EXPECT_NEAR(open->best[0].saving_high, 40.0 + 90.0, 10.0);
  EXPECT_NEAR(open->best[0].chance, 70.0 / 101.0, 0.05);
}

TEST(AdviseStart, PromisesWhatSuchAdviceHadInThePast) {
  // The forecasts promised 40 and half of it was had.
  const auto half = Days({100, 60}, [](int) { return Values{100.0, 80.0}; });
  const auto advice = AdviseStart({1h, 2h}, kMidnight, Hours({100, 60}, half));
  // With a half-life of ten days, daily questions count as 29; the belief in the forecast counts as ten.
  EXPECT_NEAR(advice->best[0].saving, 40.0 * (0.5 * 29 + 10) / (29 + 10), 0.1);
  EXPECT_NEAR(advice->best[0].mean, advice->now.mean - advice->best[0].saving, 1e-9);
  EXPECT_NEAR(advice->best[0].saving_low, 20.0, 1e-9);
  // Waiting was worse than starting at once, whatever the forecasts said.
  const auto worse = Days({100, 90}, [](int i) { return Values{100.0, 120.0 + i / 50.0}; });
  EXPECT_TRUE(AdviseStart({1h, 2h}, kMidnight, Hours({100, 90}))->waits);
  EXPECT_FALSE(AdviseStart({1h, 2h}, kMidnight, Hours({100, 90}, worse))->waits);
}

TEST(AdviseStart, BelievesNewQuestionsMoreThanOldOnes) {
  auto past = Days({100, 60}, [](int) { return Values{100.0, 80.0}; });
  const double half = AdviseStart({1h, 2h}, kMidnight, Hours({100, 60}, past))->best[0].saving;
  std::vector<PastForecast> turned = past;
  for (std::size_t day = 80; day < turned.size(); ++day) turned[day].actual = {100, 60};
  const double now_held = AdviseStart({1h, 2h}, kMidnight, Hours({100, 60}, turned))->best[0].saving;
  for (std::size_t day = 0; day < 20; ++day) past[day].actual = {100, 60};
  const double once_held = AdviseStart({1h, 2h}, kMidnight, Hours({100, 60}, past))->best[0].saving;
  EXPECT_NEAR(once_held, half, 0.2);
  EXPECT_GT(now_held, half + 5.0);
}

TEST(AdviseStart, TheSameErrorMattersMoreWhereTheSignalIsHigher) {
  const auto past = Days({100, 60}, [](int i) { return Values{100.0 + i, 60.0}; });
  SignalAhead low = Hours({100, 60}, past);
  SignalAhead high = Hours({200, 120}, past);
  const auto width = [](const SignalAhead& ahead) {
    const auto advice = AdviseStart({1h, 2h}, kMidnight, ahead);
    return advice->best[0].saving_high - advice->best[0].saving_low;
  };
  EXPECT_NEAR(width(high), width(low), 1e-9);
  low.scale = high.scale = ErrorScale::kRelative;
  EXPECT_NEAR(width(high), 2.0 * width(low), 1e-9);
}

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

TEST(AdviseStart, RefusesAJobThatDoesNotFit) {
  EXPECT_FALSE(AdviseStart({3h, 2h}, kMidnight, Hours({1, 2, 3})).has_value());
  EXPECT_FALSE(AdviseStart({0h, 2h}, kMidnight, Hours({1, 2, 3})).has_value());
  EXPECT_FALSE(AdviseStart({1h, 4h}, kMidnight, Hours({1, 2, 3})).has_value());
  EXPECT_FALSE(AdviseStart({1h, 2h}, kMidnight - 1s, Hours({1, 2, 3})).has_value());
}

// No start of a whole step is better than the advice, and the ranges contain the expected saving.
RC_GTEST_PROP(AdviseStart, NoOtherStartIsBetter, ()) {
  const auto values = *rc::gen::container<std::vector<int>>(24, rc::gen::inRange(0, 1000));
  std::vector<double> expected(values.begin(), values.end());
  const int hours = *rc::gen::inRange(1, 24);
  const auto advice =
      AdviseStart({1h * hours, 24h}, kMidnight, Hours(expected, {{kMidnight - 24h, expected, expected}}));
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

BacktestSchedule EverySevenHours(const History& all, Duration first) {
  BacktestSchedule schedule;
  schedule.first = kMidnight + first;
  schedule.last = all.end();
  schedule.every = kStartsEvery;
  schedule.horizon = 24h;
  return schedule;
}

History CarbonOf(std::vector<double> values) {
  History all{{"carbon", {}, *signal::StepSeries::Make(kMidnight, 1h, std::move(values))}, {}, {}};
  all.target.meaning.kind = signal::Kind::kCarbonIntensity;
  return all;
}

TEST(BacktestStarts, OfASignalThatRepeatsItselfIsAsGoodAsPerfectKnowledge) {
  std::vector<double> values;
  for (int hour = 0; hour < 24 * 30; ++hour) {
    values.push_back(300.0 + 100.0 * std::cos(hour % 24 / 24.0 * 2.0 * std::numbers::pi));
  }
  const History all = CarbonOf(values);
  const auto score = BacktestStarts(all, EverySevenHours(all, 24h * 20), *CandidateOf("yesterday"), {4h, 24h}, {});
  ASSERT_TRUE(score.has_value()) << score.error().Line();
  EXPECT_GT(score->origins, 25U);
  EXPECT_NEAR(score->advised, score->oracle, 1e-6);
  EXPECT_LT(score->oracle, score->now - 30.0);
  EXPECT_NEAR(score->promised_saving, score->now - score->advised, 1e-6);
  EXPECT_EQ(score->worse, 0U);
}

TEST(BacktestStarts, PromisesAndRangesHoldForAForecastThatTakesNoiseForAPattern) {
  // `yesterday` repeats the noise of the day before and picks its lowest hours: it promises twice of what is had.
  RandomStream random(7);
  std::vector<double> values;
  for (int hour = 0; hour < 24 * 160; ++hour) {
    values.push_back(300.0 + 40.0 * std::cos(hour % 24 / 24.0 * 2.0 * std::numbers::pi) + 40.0 * random.Normal());
  }
  const History all = CarbonOf(values);
  const auto score = BacktestStarts(all, EverySevenHours(all, 24h * 65), *CandidateOf("yesterday"), {3h, 24h}, {});
  ASSERT_TRUE(score.has_value()) << score.error().Line();
  const double had = score->now - score->advised;
  EXPECT_GT(had, 20.0);
  EXPECT_NEAR(score->promised_saving, had, 0.2 * had);
  const double held = static_cast<double>(score->covered) / static_cast<double>(score->waited);
  EXPECT_GT(held, 0.85);
  EXPECT_LT(held, 0.95);
}

}  // namespace
}  // namespace heliostat::forecast
