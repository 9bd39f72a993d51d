// Compares `auto` with `yesterday` on built-in zones, and on a real grid when the public traces are available.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/forecasting/forecast/testing/simple_models.h"
#include "heliostat/signals/signal_files/read.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;
using synthetic::TraceKind;

constexpr std::size_t kSteps = 96;

struct Errors {
  double of_auto = 0;
  double of_yesterday = 0;
};

// Mean absolute errors over four days ahead, from origins a week apart over the last hundred days; fitted again at
// every fourth origin.
Errors ErrorsOver(const History& all) {
  Errors errors;
  const auto& series = all.target.series;
  auto model = *MakeForecaster("auto");
  int origins = 0;
  for (Instant origin = all.end() - days{100}; origin + hours{kSteps} <= all.end(); origin += days{7}) {
    const History past = *Before(all, origin);
    if (origins++ % 4 == 0) {
      EXPECT_TRUE(model->Fit(past, kSteps));
    }
    const auto forecast = *model->Predict(past, kSteps);
    for (std::size_t i = 0; i < kSteps; ++i) {
      const Instant t = origin + series.step() * static_cast<std::int64_t>(i);
      const double actual = *series.At(t);
      errors.of_auto += std::abs(forecast.values[i] - actual);
      errors.of_yesterday += std::abs(YesterdayOf(series, t, origin) - actual);
    }
  }
  return errors;
}

struct Case {
  const char* zone;
  TraceKind trace;
};

class SyntheticForecastTest : public ::testing::TestWithParam<Case> {};

TEST_P(SyntheticForecastTest, AutoIsBetterThanYesterday) {
  const Interval span{testing::At("2022-01-01"), testing::At("2022-10-01")};
  const auto made = synthetic::Generate({GetParam().zone, GetParam().trace, span});
  ASSERT_TRUE(made) << made.error().Line();
  const auto errors = ErrorsOver({*made, {}, {}});
  EXPECT_LT(errors.of_auto, errors.of_yesterday);
}

INSTANTIATE_TEST_SUITE_P(Zones, SyntheticForecastTest,
                         ::testing::Values(Case{"mixed-import", TraceKind::kCarbon},
                                           Case{"wind-heavy", TraceKind::kCarbon},
                                           Case{"duck-curve", TraceKind::kCarbon},
                                           Case{"duck-curve", TraceKind::kSolar}, Case{"wind-heavy", TraceKind::kWind},
                                           Case{"mixed-import", TraceKind::kPrice}));

TEST(RealForecastTest, AutoIsBetterThanYesterdayInCaliforniaAndItsBandsHold) {
  const auto file = heliostat::testing::DataFolder() / "carbon/carboncast/CISO_lifecycle_emissions.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << heliostat::testing::kNoData << file;
  const auto table = signal_files::ReadSignals(file.string());
  ASSERT_TRUE(table) << table.error().Line();
  const History all{(*table->Find("carbon_intensity"))->signal, {}, {}};
  const BacktestSchedule schedule{
      testing::At("2021-01-01"), testing::At("2021-06-02"), days{8}, hours{kSteps}, std::nullopt, days{32}};
  const auto result = Backtest(all, schedule, {*CandidateOf("auto"), *CandidateOf("yesterday")}, nullptr);
  ASSERT_TRUE(result) << result.error().Line();
  EXPECT_EQ(result->origins.size(), 20U);
  const ForecastScore &of_auto = result->models[0].score, &of_yesterday = result->models[1].score;
  EXPECT_LT(of_auto.mape_percent, of_yesterday.mape_percent);
  EXPECT_LT(of_auto.mae, of_yesterday.mae);
  EXPECT_GT(of_auto.coverage_percent[2], 80);
  EXPECT_LT(of_auto.coverage_percent[2], 98);
}

}  // namespace
}  // namespace heliostat::forecast
