#include "heliostat/signals/signal/step_series.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace heliostat::signal {
namespace {

using namespace std::chrono_literals;

const Instant kMidnight = *ParseInstant("2023-06-01T00:00:00Z", "test");

StepSeries Hourly(std::vector<double> values) { return *StepSeries::Make(kMidnight, 1h, std::move(values)); }

// Any series: 1 to 60 samples, steps from a second to a day, values as large as a price spike.
rc::Gen<StepSeries> AnySeries() {
  return rc::gen::map(rc::gen::tuple(rc::gen::inRange(1, 86401), rc::gen::inRange(-100000, 100000),
                                     rc::gen::resize(60, rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(
                                                             rc::gen::inRange(-500000, 5000000))))),
                      [](const std::tuple<int, int, std::vector<int>>& raw) {
                        std::vector<double> values;
                        for (const int v : std::get<2>(raw)) values.push_back(v / 1000.0);
                        return *StepSeries::Make(kMidnight + Duration{std::get<1>(raw)}, Duration{std::get<0>(raw)},
                                                 std::move(values));
                      });
}

Instant InstantIn(const StepSeries& series) {
  return series.start() + Duration{*rc::gen::inRange<std::int64_t>(0, (series.end() - series.start()).count() + 1)};
}

TEST(StepSeriesTest, HoldsAValueUntilTheNext) {
  const StepSeries series = Hourly({1, 2, 3});
  EXPECT_EQ(*series.At(kMidnight), 1);
  EXPECT_EQ(*series.At(kMidnight + 3599s), 1);
  EXPECT_EQ(*series.At(kMidnight + 1h), 2);
  EXPECT_EQ(series.end(), kMidnight + 3h);
}

TEST(StepSeriesTest, NeverExtrapolates) {
  const StepSeries series = Hourly({1, 2, 3});
  EXPECT_FALSE(series.At(kMidnight - 1s));
  EXPECT_FALSE(series.At(kMidnight + 3h));
  EXPECT_FALSE(series.Integrate({kMidnight, kMidnight + 3h + 1s}));
  EXPECT_FALSE(series.Integrate({kMidnight + 2h, kMidnight + 1h}));
  EXPECT_EQ(series.At(kMidnight + 3h).error().Line(),
            "series: [2023-06-01T03:00:00Z, 2023-06-01T03:00:01Z) is outside the series; "
            "it covers [2023-06-01T00:00:00Z, 2023-06-01T03:00:00Z)");
}

TEST(StepSeriesTest, AMissingValueIsAnErrorWhereItIsAskedForAndNowhereElse) {
  const StepSeries series = Hourly({1, Missing(), 3});
  EXPECT_FALSE(series.At(kMidnight + 90min));
  EXPECT_FALSE(series.Integrate({kMidnight, kMidnight + 2h}));
  EXPECT_EQ(*series.Integrate({kMidnight, kMidnight + 1h}), 3600);
  EXPECT_EQ(*series.At(kMidnight + 2h), 3);
  EXPECT_EQ(series.missing(), 1U);
}

TEST(StepSeriesTest, RefusesWhatIsNoSeries) {
  EXPECT_FALSE(StepSeries::Make(kMidnight, 1h, {}));
  EXPECT_FALSE(StepSeries::Make(kMidnight, 0h, {1}));
  EXPECT_FALSE(StepSeries::Make(kMidnight, 1h, {1, INFINITY}));
}

RC_GTEST_PROP(StepSeriesLaw, TheSumOfPartsIsTheWhole, ()) {
  const StepSeries series = *AnySeries();
  Instant a = InstantIn(series);
  Instant b = InstantIn(series);
  Instant c = InstantIn(series);
  if (a > b) std::swap(a, b);
  if (b > c) std::swap(b, c);
  if (a > b) std::swap(a, b);
  const double whole = *series.Integrate({a, c});
  const double parts = *series.Integrate({a, b}) + *series.Integrate({b, c});
  double magnitude = 1;
  for (const double v : series.values()) magnitude += std::abs(v) * static_cast<double>(series.step().count());
  RC_ASSERT(std::abs(whole - parts) <= 1e-14 * magnitude);
}

RC_GTEST_PROP(StepSeriesLaw, TheIntegralIsTheSumOverSamples, ()) {
  const StepSeries series = *AnySeries();
  Instant a = InstantIn(series);
  Instant b = InstantIn(series);
  if (a > b) std::swap(a, b);
  long double slow = 0;
  long double magnitude = 1;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const auto piece = Interval{a, b}.Intersect({series.TimeOf(i), series.TimeOf(i) + series.step()});
    slow += static_cast<long double>(series.values()[i]) * static_cast<long double>(piece.length().count());
    magnitude += std::abs(series.values()[i]) * static_cast<long double>(series.step().count());
  }
  RC_ASSERT(std::abs(static_cast<long double>(*series.Integrate({a, b})) - slow) <= 1e-14L * magnitude);
}

RC_GTEST_PROP(StepSeriesLaw, ResamplingKeepsEnergy, ()) {
  const StepSeries series = *AnySeries();
  const Duration step{*rc::gen::inRange(1, 200000)};
  const auto resampled = series.Resample(step, series.start());
  RC_PRE(static_cast<bool>(resampled));
  const double before = *series.Integrate(resampled->span());
  const double after = *resampled->Integrate(resampled->span());
  double magnitude = 1;
  for (const double v : series.values()) magnitude += std::abs(v) * static_cast<double>(series.step().count());
  RC_ASSERT(std::abs(before - after) <= 1e-12 * magnitude);
}

RC_GTEST_PROP(StepSeriesLaw, FinerAndBackIsTheSame, ()) {
  const StepSeries series = *AnySeries();
  const int factor = *rc::gen::inRange(1, 8);
  const StepSeries same = *StepSeries::Make(series.start(), series.step() * factor, series.values());
  const StepSeries finer = *same.Resample(series.step(), series.start());
  const StepSeries back = *finer.Resample(same.step(), series.start());
  RC_ASSERT(back.size() == same.size());
  for (std::size_t i = 0; i < same.size(); ++i) RC_ASSERT(std::abs(back.values()[i] - same.values()[i]) < 1e-9);
}

RC_GTEST_PROP(StepSeriesLaw, JoiningTheSlicesGivesTheSeries, ()) {
  const StepSeries series = *AnySeries();
  const auto cut = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(series.size())));
  if (cut == 0) return;
  const std::vector parts{*series.Slice({series.TimeOf(cut), series.end()}),
                          *series.Slice({series.start(), series.TimeOf(cut)})};
  const StepSeries joined = *Join(parts, Overlap::kMustAgree);
  RC_ASSERT(joined.values() == series.values());
  RC_ASSERT(joined.start() == series.start());
}

TEST(StepSeriesTest, ResamplesToMeansAndRepeats) {
  const StepSeries series = Hourly({1, 2, 3, 4});
  EXPECT_EQ(series.Resample(2h)->values(), (std::vector<double>{1.5, 3.5}));
  EXPECT_EQ(series.Resample(30min)->values(), (std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4}));
  EXPECT_EQ(series.Resample(90min, kMidnight)->values(), (std::vector<double>{4.0 / 3, 8.0 / 3}));
  EXPECT_FALSE(series.Resample(5h));
  EXPECT_FALSE(series.Resample(0h));
}

TEST(StepSeriesTest, ResamplingKeepsOnlyWholeStepsOfTheNewGrid) {
  const StepSeries series = *StepSeries::Make(kMidnight + 20min, 30min, {1, 2, 3, 4, 5});
  const StepSeries hourly = *series.Resample(1h);
  EXPECT_EQ(hourly.start(), kMidnight + 1h);
  EXPECT_EQ(hourly.size(), 1U);
  EXPECT_DOUBLE_EQ(hourly.values()[0], (20 * 2 + 30 * 3 + 10 * 4) / 60.0);
}

TEST(StepSeriesTest, ResamplingAcrossAGapIsMissing) {
  const auto values = Hourly({1, Missing(), 3, 4}).Resample(2h)->values();
  EXPECT_TRUE(IsMissing(values[0]));
  EXPECT_EQ(values[1], 3.5);
}

TEST(StepSeriesTest, SlicesOnlyOnSamples) {
  const StepSeries series = Hourly({1, 2, 3, 4});
  EXPECT_EQ(series.Slice({kMidnight + 1h, kMidnight + 3h})->values(), (std::vector<double>{2, 3}));
  EXPECT_FALSE(series.Slice({kMidnight + 30min, kMidnight + 2h}));
  EXPECT_FALSE(series.Slice({kMidnight, kMidnight}));
  EXPECT_FALSE(series.Slice({kMidnight, kMidnight + 5h}));
}

TEST(JoinTest, FillsTheHoleBetweenPartsWithMissing) {
  const std::vector parts{Hourly({1, 2}), *StepSeries::Make(kMidnight + 3h, 1h, {4})};
  const StepSeries joined = *Join(parts, Overlap::kMustAgree);
  EXPECT_EQ(joined.size(), 4U);
  EXPECT_EQ(joined.missing(), 1U);
  EXPECT_EQ(*joined.At(kMidnight + 3h), 4);
}

TEST(JoinTest, DisagreementIsDecidedOnlyByTheCaller) {
  const std::vector parts{Hourly({1, 2}), *StepSeries::Make(kMidnight + 1h, 1h, {5, 3})};
  EXPECT_NE(Join(parts, Overlap::kMustAgree).error().what.find("disagree at 2023-06-01T01:00:00Z: 2 and 5"),
            std::string::npos);
  EXPECT_EQ(*Join(parts, Overlap::kFirstWins)->At(kMidnight + 1h), 2);
  EXPECT_EQ(*Join(parts, Overlap::kLastWins)->At(kMidnight + 1h), 5);
  const std::vector shifted{Hourly({1}), *StepSeries::Make(kMidnight + 90min, 1h, {1})};
  EXPECT_FALSE(Join(shifted, Overlap::kMustAgree));
}

}  // namespace
}  // namespace heliostat::signal
