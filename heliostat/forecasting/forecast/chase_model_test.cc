#include "heliostat/forecasting/forecast/chase_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/forecasting/forecast/testing/histories.h"

namespace heliostat::forecast {
namespace {

using namespace std::chrono_literals;
using testing::ChaseTrace;
using testing::HistoryOf;

constexpr std::size_t kDay = 48;

// The error of one-step forecasts after the first day, in percent.
double OneStepError(const History& trace, const std::string& model, bool fits_anew) {
  const auto& series = trace.target.series;
  auto forecaster = *MakeForecaster(model);
  double sum = 0;
  for (std::size_t i = kDay; i < series.size(); ++i) {
    const History window = *Newest(*Before(trace, series.TimeOf(i)), 24h);
    EXPECT_EQ(window.target.series.size(), kDay);
    if (fits_anew || i == kDay) {
      EXPECT_TRUE(forecaster->Fit(window, 1));
    }
    sum += std::abs(forecaster->Predict(window, 1)->values.front() / series.values()[i] - 1);
  }
  return 100 * sum / static_cast<double>(series.size() - kDay);
}

TEST(ChaseModelTest, ErrsOnChasesTraceAsMeasuredByHand) {
  const auto trace = ChaseTrace();
  if (!trace) GTEST_SKIP() << heliostat::testing::kNoData << "carbon/chase";
  EXPECT_NEAR(OneStepError(*trace, "svr", true), 1.4147, 0.005);
  EXPECT_NEAR(OneStepError(*trace, "svr", false), 1.3669, 0.005);
  EXPECT_NEAR(OneStepError(*trace, "persistence", true), 1.3586, 0.0001);
}

TEST(FeaturesTest, TurnOnceADay) {
  const Instant noon = std::chrono::sys_days{std::chrono::July / 1 / 2024} + 12h;
  EXPECT_NEAR(regression::FeaturesOf(noon, 7)[0], 0, 1e-12);
  EXPECT_NEAR(regression::FeaturesOf(noon, 7)[1], -1, 1e-12);
  EXPECT_EQ(regression::FeaturesOf(noon, 7)[2], 7);
  EXPECT_EQ(regression::FeaturesOf(noon, 7), regression::FeaturesOf(noon + 24h * 365, 7));
  // Before 1970 too: the day begins at midnight, not at the nearest multiple towards zero.
  EXPECT_EQ(regression::FeaturesOf(noon, 7), regression::FeaturesOf(noon - 24h * 36500, 7));
}

TEST(ChaseModelTest, FeedsItsOwnAnswersBack) {
  // Each value is 0.9 times the one before: linear regression must find that and go on.
  const auto decay = [](std::size_t i) { return 1000 * std::pow(0.9, static_cast<double>(i)); };
  // Without the cyclic pair, whose partner is missing and which does not follow the rule.
  History past = HistoryOf(Instant{}, 1h, 30, [&](std::size_t i) { return i == 0 ? signal::Missing() : decay(i); });
  auto linear = *ChaseModel::Make("linear");
  ASSERT_TRUE(linear->Fit(past, 24));
  const auto prediction = *linear->Predict(past, 24);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(prediction.values[i], decay(30 + i), 1e-6);

  // With the newest values missing: the same answers at the same times, by more steps.
  History stale = HistoryOf(Instant{}, 1h, 33, [&](std::size_t i) { return i > 29 ? signal::Missing() : decay(i); });
  const auto bridged = *linear->Predict(stale, 21);
  for (std::size_t i = 0; i < 21; ++i) EXPECT_EQ(bridged.values[i], prediction.values[i + 3]);
}

TEST(ChaseModelTest, WrapsInsideItsWindow) {
  // Values before the window must not matter: the model learns from the window only.
  const auto wave = [](std::size_t i) { return 300 + 40 * std::sin(static_cast<double>(i) * 0.3); };
  const History longer = HistoryOf(Instant{}, 1h, 72, wave);
  const History changed = HistoryOf(Instant{}, 1h, 72, [&](std::size_t i) { return i < 48 ? 1e4 : wave(i); });
  auto one = *ChaseModel::Make("svr");
  auto other = *ChaseModel::Make("svr");
  ASSERT_TRUE(one->Fit(*Newest(longer, 24h), 12));
  ASSERT_TRUE(other->Fit(*Newest(changed, 24h), 12));
  EXPECT_EQ(one->Save().Dump(), other->Save().Dump());
  // The cyclic pair counts: 24 values give 24 pairs, and 23 would not be enough.
  std::vector<double> values(9, signal::Missing());
  for (std::size_t i = 0; i < 8; ++i) values[i] = wave(i);
  EXPECT_FALSE(one->Fit(HistoryOf(Instant{}, 1h, values), 1));  // seven pairs without the cyclic one
  values.pop_back();
  EXPECT_TRUE(one->Fit(HistoryOf(Instant{}, 1h, values), 1));
}

TEST(ChaseModelTest, StaysFiniteWhenItRunsAway) {
  // Doubling every step overflows after a thousand of them.
  History past = HistoryOf(Instant{}, 1h, 24, [](std::size_t i) {
    return i == 0 ? signal::Missing() : std::pow(2.0, static_cast<double>(i));
  });
  auto linear = *ChaseModel::Make("linear");
  ASSERT_TRUE(linear->Fit(past, 1));
  const auto prediction = *linear->Predict(past, 2000);
  for (const double value : prediction.values) ASSERT_TRUE(std::isfinite(value));
}

TEST(ChaseModelTest, SaysHowManyPairsItNeeds) {
  auto svr = *ChaseModel::Make("svr");
  const Status fitted = svr->Fit(HistoryOf(Instant{}, 4h, {1, 2, 3, 4, 5, 6}), 1);
  ASSERT_FALSE(fitted);
  EXPECT_THAT(fitted.error().Line(), ::testing::HasSubstr("has 6 known values"));
}

}  // namespace
}  // namespace heliostat::forecast
