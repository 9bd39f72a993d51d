#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "heliostat/signals/signal/climatology.h"
#include "heliostat/signals/signal/fill.h"
#include "heliostat/signals/signal/step_series.h"
#include "heliostat/signals/signal/summary.h"

namespace heliostat::signal {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const Instant kMonday = *ParseInstant("2023-06-05T00:00:00Z", "test");

// Quarter-hours to six hours from a Monday, values in tenths, about one in five missing, at least one known.
rc::Gen<StepSeries> SeriesWithGaps() {
  return rc::gen::map(
      rc::gen::tuple(
          rc::gen::element<Duration>(15min, 1h, 3h, 6h),
          rc::gen::resize(80, rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-250, 1000))))),
      [](const std::tuple<Duration, std::vector<int>>& raw) {
        std::vector<double> values;
        for (const int v : std::get<1>(raw)) values.push_back(v < 0 && !values.empty() ? Missing() : v / 10.0);
        return *StepSeries::Make(kMonday, std::get<0>(raw), std::move(values));
      });
}

bool Same(double a, double b) { return a == b || (IsMissing(a) && IsMissing(b)); }

void RequireSame(const StepSeries& a, const StepSeries& b) {
  RC_ASSERT(a.span() == b.span());
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) RC_ASSERT(Same(a.values()[i], b.values()[i]));
}

RC_GTEST_PROP(StepSeriesLaw, AMeanLiesBetweenTheLeastAndTheMostValueItCovers, ()) {
  const StepSeries series = Fill(*SeriesWithGaps(), FillRule::kHold);
  const auto first = *rc::gen::inRange<std::size_t>(0, series.size());
  const auto count = *rc::gen::inRange<std::size_t>(1, series.size() - first + 1);
  const auto begin = series.values().begin() + static_cast<std::ptrdiff_t>(first);
  const auto [low, high] = std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(count));
  const double mean = *series.Mean({series.TimeOf(first), series.TimeOf(first) + series.step() * count});
  RC_ASSERT(mean >= *low - 1e-9);
  RC_ASSERT(mean <= *high + 1e-9);
}

RC_GTEST_PROP(StepSeriesLaw, ScalingScalesEveryIntegralAndKeepsGaps, ()) {
  const StepSeries series = *SeriesWithGaps();
  const double factor = *rc::gen::inRange(-50, 50) / 8.0;
  const StepSeries scaled = series.Scaled(factor);
  RC_ASSERT(scaled.missing() == series.missing());
  RC_ASSERT(scaled.span() == series.span());
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Interval one{series.TimeOf(i), series.TimeOf(i) + series.step()};
    const auto before = series.Integrate(one);
    const auto after = scaled.Integrate(one);
    RC_ASSERT(before.has_value() == after.has_value());
    if (before) RC_ASSERT(std::abs(*after - *before * factor) <= 1e-6);
  }
}

RC_GTEST_PROP(StepSeriesLaw, ANewStepIsMissingExactlyWhereAnyOfItsPartsIs, ()) {
  const StepSeries series = *SeriesWithGaps();
  const Duration step{*rc::gen::inRange(1, 200) * 300};
  const auto resampled = series.Resample(step, series.start());
  RC_PRE(resampled.has_value());
  for (std::size_t i = 0; i < resampled->size(); ++i) {
    const Interval covered{resampled->TimeOf(i), resampled->TimeOf(i) + step};
    RC_ASSERT(IsMissing(resampled->values()[i]) == !series.Integrate(covered).has_value());
  }
}

RC_GTEST_PROP(StepSeriesLaw, EverySampleOfASliceIsTheSeriesAtItsTime, ()) {
  const StepSeries series = *SeriesWithGaps();
  const auto first = *rc::gen::inRange<std::size_t>(0, series.size());
  const auto last = *rc::gen::inRange<std::size_t>(first + 1, series.size() + 1);
  const auto slice = series.Slice({series.TimeOf(first), series.TimeOf(last)});
  RC_ASSERT(slice.has_value());
  RC_ASSERT(slice->size() == last - first);
  for (std::size_t i = 0; i < slice->size(); ++i) RC_ASSERT(Same(slice->values()[i], series.values()[first + i]));
}

RC_GTEST_PROP(JoinLaw, PartsInAnyOrderAndWithOverlapGiveTheSeriesBack, ()) {
  const StepSeries series = *SeriesWithGaps();
  std::vector<StepSeries> parts{*series.Slice({series.start(), series.TimeOf(1)}),
                                *series.Slice({series.TimeOf(series.size() - 1), series.end()})};
  const int more = *rc::gen::inRange(0, 5);
  for (int i = 0; i < more; ++i) {
    const auto first = *rc::gen::inRange<std::size_t>(0, series.size());
    const auto last = *rc::gen::inRange<std::size_t>(first + 1, series.size() + 1);
    parts.push_back(*series.Slice({series.TimeOf(first), series.TimeOf(last)}));
  }
  parts.push_back(series);
  std::rotate(parts.begin(), parts.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(parts)), parts.end());
  for (const Overlap overlap : {Overlap::kMustAgree, Overlap::kFirstWins, Overlap::kLastWins}) {
    RequireSame(*Join(parts, overlap), series);
  }
}

TEST(JoinTest, AMissingValueNeverWinsOverAKnownOne) {
  const std::vector parts{*StepSeries::Make(kMonday, 1h, {1, Missing()}),
                          *StepSeries::Make(kMonday, 1h, {Missing(), 2})};
  for (const Overlap overlap : {Overlap::kMustAgree, Overlap::kFirstWins, Overlap::kLastWins}) {
    EXPECT_EQ(Join(parts, overlap)->values(), (std::vector<double>{1, 2}));
  }
}

TEST(JoinTest, RefusesNothingAndOtherSteps) {
  EXPECT_FALSE(Join({}, Overlap::kMustAgree));
  const std::vector parts{*StepSeries::Make(kMonday, 1h, {1, 2}), *StepSeries::Make(kMonday + 2h, 30min, {3})};
  EXPECT_THAT(Join(parts, Overlap::kLastWins).error().Line(), HasSubstr("resample the parts to one step first"));
}

TEST(StepSeriesTest, AnEmptyIntervalIntegratesToNothingAndHasNoMean) {
  const StepSeries series = *StepSeries::Make(kMonday, 1h, {1, Missing()});
  EXPECT_EQ(*series.Integrate({kMonday + 90min, kMonday + 90min}), 0);
  EXPECT_FALSE(series.Mean({kMonday, kMonday}));
}

RC_GTEST_PROP(FillLaw, FillsOnlyGapsThatAreShortEnough, ()) {
  const StepSeries series = *SeriesWithGaps();
  const auto longest = static_cast<std::int64_t>(*rc::gen::inRange(0, 5));
  const FillRule rule = *rc::gen::element(FillRule::kHold, FillRule::kLinear, FillRule::kYesterday, FillRule::kTypical);
  const StepSeries filled = Fill(series, rule, series.step() * longest);
  RC_ASSERT(filled.span() == series.span());
  for (std::size_t i = 0; i < series.size();) {
    std::size_t end = i;
    while (end < series.size() && IsMissing(series.values()[end])) ++end;
    const bool too_long = static_cast<std::int64_t>(end - i) > longest;
    for (std::size_t k = i; k < end; ++k) RC_ASSERT(!too_long || IsMissing(filled.values()[k]));
    if (end < series.size()) RC_ASSERT(filled.values()[end] == series.values()[end]);
    i = end + 1;
  }
}

RC_GTEST_PROP(FillLaw, FilledValuesLieBetweenTheLeastAndTheMostKnown, ()) {
  const StepSeries series = *SeriesWithGaps();
  const Summary known = Summarize(series.values());
  for (const FillRule rule : {FillRule::kHold, FillRule::kLinear, FillRule::kYesterday, FillRule::kTypical}) {
    const StepSeries filled = Fill(series, rule);
    for (const double value : filled.values()) {
      RC_ASSERT(IsMissing(value) || (value >= known.min - 1e-9 && value <= known.max + 1e-9));
    }
  }
}

RC_GTEST_PROP(FillLaw, EveryGapHasATypicalValueAndFillingTwiceChangesNothing, ()) {
  const StepSeries series = *SeriesWithGaps();
  RC_ASSERT(Fill(series, FillRule::kTypical).missing() == 0U);
  for (const FillRule rule : {FillRule::kHold, FillRule::kLinear, FillRule::kYesterday, FillRule::kTypical}) {
    const StepSeries once = Fill(series, rule);
    RequireSame(Fill(once, rule), once);
  }
}

RC_GTEST_PROP(ClimatologyLaw, RepeatsEveryWeekAndStaysWithinItsHistory, ()) {
  const StepSeries history = *SeriesWithGaps();
  const auto typical = Climatology::FromHistory(history);
  RC_ASSERT(typical.has_value());
  const Summary known = Summarize(history.values());
  const Instant t = kMonday + Duration{*rc::gen::inRange(-2000000, 2000000)};
  const double usual = typical->At(t);
  RC_ASSERT(usual >= known.min - 1e-9);
  RC_ASSERT(usual <= known.max + 1e-9);
  for (const int weeks : {-60, -1, 1, 3}) RC_ASSERT(typical->At(t + 168h * weeks) == usual);
}

TEST(ClimatologyTest, OverGivesItsOwnStepFromTheStart) {
  const auto typical = *Climatology::FromHistory(*StepSeries::Make(kMonday, 6h, {1, 2, 3, 4}));
  const StepSeries two_days = *typical.Over(kMonday + 24h, 8);
  EXPECT_EQ(two_days.start(), kMonday + 24h);
  EXPECT_EQ(two_days.step(), 6h);
  EXPECT_EQ(two_days.values(), (std::vector<double>{1, 2, 3, 4, 1, 2, 3, 4}));
  EXPECT_FALSE(typical.Over(kMonday, 0)) << "a series has at least one value";
}

RC_GTEST_PROP(SummaryLaw, MeansOfDaysAndHoursWeighUpToTheMeanOfAll, ()) {
  auto values = *rc::gen::container<std::vector<int>>(24 * 5, rc::gen::inRange(-1000, 1000));
  const StepSeries series = *StepSeries::Make(kMonday, 1h, std::vector<double>(values.begin(), values.end()));
  const double mean = Summarize(series.values()).mean;
  const DailyMeans daily = MeansByDay(series);
  RC_ASSERT(daily.first == std::chrono::floor<std::chrono::days>(kMonday));
  RC_ASSERT(daily.means.size() == 5U);
  RC_ASSERT(std::abs(Summarize(daily.means).mean - mean) < 1e-9);
  RC_ASSERT(std::abs(Summarize(TypicalDay(series)).mean - mean) < 1e-9);
}

}  // namespace
}  // namespace heliostat::signal
