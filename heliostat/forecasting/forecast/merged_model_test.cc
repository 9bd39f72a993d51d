#include "heliostat/forecasting/forecast/merged_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/forecasting/forecast/issued.h"
#include "heliostat/forecasting/forecast/testing/simple_models.h"

namespace heliostat::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using testing::At;
using ::testing::HasSubstr;
using testing::HistoryOf;
using testing::Wandering;

const Instant kStart = At("2021-01-01");
constexpr std::size_t kDays = 66;
constexpr std::size_t kSteps = 30;

// A carbon intensity with a forecast of another a day ahead: `said` of each actual value.
History Beside(const std::function<double(double)>& said) {
  const auto values = Wandering(24 * kDays, 21);
  History all = HistoryOf(values);
  std::vector<double> forecast;
  for (const double value : values) forecast.push_back(said(value));
  signal::Meaning meaning;
  meaning.lead = hours{24};
  all.issued = {{{"ahead", meaning, *signal::StepSeries::Make(kStart, hours{1}, forecast)}, {}}};
  return all;
}

Prediction Ask(std::string_view model, const History& past, std::size_t steps = kSteps) {
  auto forecaster = *MakeForecaster(model);
  const Status fitted = forecaster->Fit(past, kSteps);
  EXPECT_TRUE(fitted) << fitted.error().Line();
  auto prediction = forecaster->Predict(past, steps);
  EXPECT_TRUE(prediction) << prediction.error().Line();
  return *prediction;
}

TEST(MergedModelTest, BelievesAProviderWhoWasRightAndCorrectsOneWhoIsAlwaysHigh) {
  for (const double factor : {1.0, 1.25}) {
    const History all = Beside([&](double value) { return factor * value; });
    const Instant origin = kStart + days{64};
    const auto merged = Ask("merged", *Before(all, origin));
    EXPECT_EQ(merged.answered_by, "merged");
    EXPECT_THAT(merged.reason, HasSubstr("24 of 30 values combined with providers, whose share is 100 % at 1 h"));
    EXPECT_THAT(merged.reason, HasSubstr("weights from 21 past forecasts"));
    const auto& actual = all.target.series.values();
    for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(merged.values[i], actual[24 * 64 + i], 1e-6) << factor;
  }
}

TEST(MergedModelTest, AnswersAsAutoBeyondTheProvidersReachAndWhereNobodySpeaks) {
  const History past = *Before(Beside([](double value) { return value; }), kStart + days{64});
  const auto merged = Ask("merged", past);
  const auto own = Ask("auto", past);
  for (std::size_t i = 24; i < kSteps; ++i) EXPECT_EQ(merged.values[i], own.values[i]);

  History silent = past;
  silent.issued.clear();
  const auto alone = Ask("merged", silent);
  EXPECT_EQ(alone.values, own.values);
  EXPECT_EQ(alone.answered_by, own.answered_by);
  EXPECT_THAT(alone.reason, HasSubstr("no forecast of a provider was known"));
}

TEST(MergedModelTest, LeavesOutAProviderWhoIsNoUse) {
  RandomStream random(5);
  const History past = *Before(Beside([&](double) { return std::exp(random.Uniform(0, 9)); }), kStart + days{64});
  const auto merged = Ask("merged", past);
  const auto own = Ask("auto", past);
  for (std::size_t i = 0; i < kSteps; ++i) EXPECT_NEAR(merged.values[i], own.values[i], 0.25 * own.values[i]);
}

TEST(MergedModelTest, DoesWithALittleHistoryWhatAutoDoes) {
  const History all = Beside([](double value) { return value; });
  for (const int known : {25, 24 * 3, 24 * 6, 24 * 30}) {
    const History past = *Before(all, kStart + hours{known});
    const auto merged = Ask("merged", past);
    const auto own = Ask("auto", past);
    EXPECT_THAT(merged.reason, HasSubstr(own.reason)) << known;
    EXPECT_EQ(merged.values[25], own.values[25]) << known;
    const double actual = all.target.series.values()[static_cast<std::size_t>(known) + 2];
    EXPECT_LT(std::abs(merged.values[2] - actual), std::abs(own.values[2] - actual)) << known;
  }
}

TEST(MergedModelTest, DoesNotSeeWhatWasIssuedLater) {
  const BacktestSchedule schedule{kStart + days{40}, kStart + days{60}, days{1}, hours{48}, {}, {}};
  History all = Beside([](double value) { return 0.9 * value + 20; });
  Issued runs{{"runs", {}, all.target.series}, {}};
  for (int day = 0; day < 60; ++day) {
    runs.runs.push_back({kStart + days{day} - hours{1},
                         *signal::StepSeries::Make(kStart + days{day}, hours{1},
                                                   Wandering(48, 100 + static_cast<std::uint64_t>(day)))});
  }
  all.issued.push_back(runs);
  const auto leak = FindLeak(all, schedule, *CandidateOf("merged"), 2);
  ASSERT_TRUE(leak) << leak.error().Line();
  EXPECT_EQ(*leak, std::nullopt);
}

TEST(MergedModelTest, RefusesASavedModelWithoutSenseInItsWeights) {
  MergedModel model;
  ASSERT_TRUE(model.Fit(*Before(Beside([](double value) { return value; }), kStart + days{10}), kSteps));
  io::Json saved = model.Save();
  EXPECT_TRUE(MergedModel().Load(saved));
  EXPECT_FALSE(MergedModel().Load(saved.Set("skill", "x")));
  EXPECT_FALSE(MergedModel().Load(model.Save().Set("version", 99)));
  EXPECT_FALSE(MergedModel().Load(model.Save().Set("auto", nullptr)));
}

}  // namespace
}  // namespace heliostat::forecast
