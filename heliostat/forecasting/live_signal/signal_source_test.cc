#include "heliostat/forecasting/live_signal/signal_source.h"

#include <gtest/gtest.h>

namespace heliostat::live_signal {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;

const Instant kStart = ParseInstant("2023-06-01T00:00:00Z", "").value();

// Two values in turn, hour by hour.
signal::Signal Alternating(int count, double even, double odd) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(i % 2 == 0 ? even : odd);
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kCarbonIntensity;
  return {"carbon_g_per_kwh", meaning, signal::StepSeries::Make(kStart, hours(1), values).value()};
}

std::unique_ptr<SignalSource> Make(const signal::Signal& signal, const Replay& replay) {
  auto source = RecordedSignal::Make("file x", signal, replay, "yesterday");
  EXPECT_TRUE(source) << source.error().Line();
  return std::move(*source);
}

TEST(RecordedSignalTest, TimePassesFasterInAReplay) {
  const Instant now = kStart + days(900);
  const auto source = Make(Alternating(96, 100, 700), {now, kStart + days(1), 60.0});
  EXPECT_EQ(source->At(now).number, 100);
  EXPECT_EQ(source->At(now + minutes(1)).number, 700) << "an hour of the signal";
  EXPECT_EQ(source->At(now + minutes(2)).freshness, signal::Freshness::kMeasured);
}

TEST(RecordedSignalTest, ForecastsAreMeansOfWhatIsToCome) {
  const Instant now = kStart + days(2);
  const auto source = Make(Alternating(96, 100, 700), {now, now, 1.0});
  const auto ahead = source->Ahead(now, hours(2), 6);
  ASSERT_EQ(ahead.size(), 6U);
  for (const double mean : ahead) EXPECT_NEAR(mean, 400, 1e-6);
  const auto by_hour = source->Ahead(now, hours(1), 4);
  EXPECT_NEAR(by_hour[0], 100, 1e-6);
  EXPECT_NEAR(by_hour[1], 700, 1e-6);
}

TEST(RecordedSignalTest, AfterItsEndItIsForecastThenStaleAndThenWhatIsUsual) {
  const Instant end = kStart + days(2);
  const auto source = Make(Alternating(48, 100, 700), {end - hours(1), end - hours(1), 1.0});
  EXPECT_EQ(source->At(end - minutes(1)).freshness, signal::Freshness::kMeasured);
  const SignalSource::Value soon = source->At(end + minutes(30));
  EXPECT_EQ(soon.freshness, signal::Freshness::kForecast) << "not published yet";
  EXPECT_EQ(soon.number, 100);
  const SignalSource::Value later = source->At(end + hours(3));
  EXPECT_EQ(later.freshness, signal::Freshness::kStale);
  EXPECT_EQ(later.age, hours(3));
  EXPECT_EQ(later.number, 700) << "as the day before";
  const auto ahead = source->Ahead(end + hours(3), hours(1), 3);
  EXPECT_NEAR(ahead[0], 700, 1e-6);
  EXPECT_NEAR(ahead[1], 100, 1e-6);
  EXPECT_EQ(source->At(end + hours(20)).freshness, signal::Freshness::kClimatology);
  EXPECT_FALSE(source->Ahead(end + hours(20), hours(1), 24).empty()) << "a decision never waits for a feed";
}

TEST(RecordedSignalTest, WhatAFeedCallsUsualIsNotTakenForMeasured) {
  const Instant now = kStart + days(2);
  auto source = RecordedSignal::Make("neso GB", Alternating(49, 100, 700), {now, now, 1.0}, "yesterday",
                                     signal::Freshness::kClimatology);
  ASSERT_TRUE(source) << source.error().Line();
  EXPECT_EQ((*source)->At(now).number, 100);
  EXPECT_EQ((*source)->At(now).freshness, signal::Freshness::kClimatology);
  // One that is stale may have the present value all the same: other parts of it are absent.
  source = RecordedSignal::Make("neso GB", Alternating(49, 100, 700), {now, now, 1.0}, "yesterday",
                                signal::Freshness::kStale);
  EXPECT_EQ((*source)->At(now).freshness, signal::Freshness::kMeasured);
}

TEST(RecordedSignalTest, TheHighestOfTheDayBeforeIsNotThatOfTheFuture) {
  std::vector<double> values(72, 200.0);
  values[30] = 450.0;
  values[60] = 900.0;
  signal::Signal signal = Alternating(2, 1, 1);
  signal.series = signal::StepSeries::Make(kStart, hours(1), values).value();
  const Instant now = kStart + hours(50);
  const auto source = Make(signal, {now, now, 1.0});
  EXPECT_EQ(source->HighestOfDay(now), 450.0);
}

TEST(RecordedSignalTest, AStartOutsideTheFileIsRefused) {
  const auto source =
      RecordedSignal::Make("file x", Alternating(48, 1, 2), {kStart, kStart + days(9), 1.0}, "yesterday");
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace heliostat::live_signal
