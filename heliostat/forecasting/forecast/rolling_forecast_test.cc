#include "heliostat/forecasting/forecast/rolling_forecast.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "heliostat/forecasting/forecast/testing/histories.h"

namespace heliostat::forecast {
namespace {

using namespace std::chrono_literals;
using signal::Freshness;
using signal::Missing;

const Instant kStart = ParseInstant("2023-06-01T00:00:00Z", "").value();

signal::Signal SignalOf(std::vector<double> values, Duration step = 1h) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  return {"carbon", meaning, signal::StepSeries::Make(kStart, step, std::move(values)).value()};
}

// A daily and a weekly pattern, and a little noise.
std::vector<double> Course(std::size_t hours, std::uint64_t seed = 1) {
  RandomStream random(seed);
  std::vector<double> values;
  for (std::size_t i = 0; i < hours; ++i) {
    const double hour = static_cast<double>(i);
    values.push_back(300.0 + 100.0 * std::sin(hour * 2.0 * 3.14159265 / 24.0) + 30.0 * std::sin(hour / 26.7) +
                     5.0 * random.Normal());
  }
  return values;
}

RollingForecast Make(const signal::Signal& signal, Instant start, const std::string& model = "auto",
                     RollingForecast::Fallback fallback = RollingForecast::Fallback::kPresent) {
  RollingForecast::Options options;
  options.model = model;
  options.start = start;
  options.most_steps = 48;
  options.fallback = fallback;
  auto made = RollingForecast::Make(signal, options);
  EXPECT_TRUE(made) << made.error().Line();
  return std::move(*made);
}

TEST(RollingForecastTest, BeginsWithWhatIsMeasuredAndGoesOnWithTheModel) {
  const auto values = Course(24 * 40);
  const Instant start = kStart + 24h * 35;
  auto rolling = Make(SignalOf(values), start);
  const Latest latest = rolling.From(start, 25);
  ASSERT_EQ(latest.values.size(), 25U);
  EXPECT_EQ(latest.values.front(), values[24 * 35]);
  EXPECT_EQ(latest.issued, start + 1h);
  EXPECT_EQ(latest.freshness, Freshness::kMeasured);
  EXPECT_EQ(latest.age, 0h);
  EXPECT_FALSE(latest.bands.empty());
  EXPECT_EQ(latest.bands.front().lower.size(), 24U);
  double error = 0.0;
  for (std::size_t i = 1; i < 25; ++i) error += std::abs(latest.values[i] - values[24 * 35 + i]) / 24.0;
  EXPECT_LT(error, 20.0);
}

// Two signals that differ only after a moment have the same forecast at that moment.
RC_GTEST_PROP(RollingForecastLaw, NothingAfterAMomentIsSeen, ()) {
  const auto now = static_cast<std::size_t>(*rc::gen::inRange(24, 24 * 12));
  auto values = Course(24 * 14);
  const Instant start = kStart + 24h;
  auto one = Make(SignalOf(values), start, "yesterday");
  for (std::size_t i = now + 1; i < values.size(); ++i) values[i] = 9999.0;
  auto other = Make(SignalOf(values), start, "yesterday");
  const Instant t = kStart + 1h * static_cast<int>(now);
  RC_ASSERT(one.From(t, 30).values == other.From(t, 30).values);
}

// With or without calls for moments in between.
RC_GTEST_PROP(RollingForecastLaw, AnAnswerFollowsFromTheMomentAlone, ()) {
  const signal::Signal signal = SignalOf(Course(24 * 8));
  const Instant start = kStart + 24h * 3;
  auto asked = Make(signal, start, "climatology");
  auto fresh = Make(signal, start, "climatology");
  const auto at = [&] { return start + 1h * *rc::gen::inRange(0, 24 * 5); };
  for (int i = 0; i < 5; ++i) (void)asked.From(at(), 12);
  const Instant t = at();
  RC_ASSERT(asked.From(t, 12).values == fresh.From(t, 12).values);
}

TEST(RollingForecastTest, FitsDailyWhileThereIsLittleHistoryAndWeeklyLater) {
  const signal::Signal signal = SignalOf(Course(24 * 70));
  const auto fits_within = [&](Instant start, Duration length) {
    auto rolling = Make(signal, start, "climatology");
    for (Instant t = start; t < start + length; t += 1h) (void)rolling.From(t, 3);
    return rolling.fits();
  };
  EXPECT_EQ(fits_within(kStart + 24h * 10, 24h), 1U);
  EXPECT_EQ(fits_within(kStart + 24h * 10, 25h), 2U);
  EXPECT_EQ(fits_within(kStart + 24h * 10, 24h * 5), 5U);
  EXPECT_EQ(fits_within(kStart + 24h * 40, 24h * 7), 1U);
  EXPECT_EQ(fits_within(kStart + 24h * 40, 24h * 7 + 1h), 2U);
}

TEST(RollingForecastTest, WithoutAModelItIsAsThePresentOrAsTheDayBefore) {
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(i);
  const Instant start = kStart + 29h;
  // The model last-week needs a week of history.
  auto holding = Make(SignalOf(values), start, "last-week");
  EXPECT_EQ(holding.From(start, 3).values, (std::vector<double>{29, 29, 29}));
  EXPECT_EQ(holding.From(start, 3).answered_by, "present");
  EXPECT_FALSE(holding.trouble().empty());
  auto repeating = Make(SignalOf(values), start, "last-week", RollingForecast::Fallback::kYesterday);
  const Latest latest = repeating.From(start, 26);
  EXPECT_EQ(latest.values[1], 6.0);
  EXPECT_EQ(latest.values[24], 29.0) << "a day later as now";
  EXPECT_EQ(latest.values[25], 6.0);
  EXPECT_EQ(latest.answered_by, "yesterday");
}

TEST(RollingForecastTest, AfterTheLastValueTheForecastGoesOnAndAges) {
  std::vector<double> values;
  for (int i = 0; i < 48; ++i) values.push_back(i % 24);
  const Instant end = kStart + 48h;
  auto rolling = Make(SignalOf(values), kStart + 24h, "yesterday");
  EXPECT_EQ(rolling.From(end - 1min, 1).freshness, Freshness::kMeasured);
  const Latest soon = rolling.From(end + 30min, 3);
  EXPECT_EQ(soon.values, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(soon.freshness, Freshness::kForecast);
  EXPECT_EQ(soon.age, 30min);
  EXPECT_EQ(rolling.From(end + 3h, 1).values.front(), 3.0);
  EXPECT_EQ(rolling.From(end + 3h, 1).freshness, Freshness::kStale);
  EXPECT_EQ(rolling.From(end + 9h, 1).freshness, Freshness::kClimatology);
}

TEST(RollingForecastTest, AHoleIsForecastFromWhatCameBefore) {
  std::vector<double> values;
  for (int i = 0; i < 72; ++i) values.push_back(i % 24);
  values[60] = values[61] = Missing();
  auto rolling = Make(SignalOf(values), kStart + 24h, "yesterday");
  const Latest latest = rolling.From(kStart + 60h + 20min, 1);
  EXPECT_FALSE(signal::IsMissing(latest.values.front()));
  EXPECT_EQ(latest.age, 20min);
  EXPECT_EQ(latest.freshness, Freshness::kForecast);
}

TEST(RollingForecastTest, LearnsFromAHundredAndTwentyDaysBeforeTheStart) {
  const auto values = Course(24 * 200);
  const Instant start = kStart + 24h * 190;
  auto all = Make(SignalOf(values), start, "yesterday");
  EXPECT_EQ(all.measured().series.start(), start - 24h * 120);
  EXPECT_EQ(all.measured().series.end(), kStart + 24h * 200);
}

TEST(RollingForecastTest, AnUnknownModelAndAStartOutsideAreRefused) {
  RollingForecast::Options options;
  options.model = "tea-leaves";
  options.start = kStart;
  EXPECT_EQ(RollingForecast::Make(SignalOf({1, 2}), options).error().code, ErrorCode::kNotFound);
  options.model = "yesterday";
  options.start = kStart + 2h;
  EXPECT_EQ(RollingForecast::Make(SignalOf({1, 2}), options).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace heliostat::forecast
