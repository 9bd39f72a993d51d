// Compares backtests on the carbon intensities of five grids with figures computed independently. Skipped without the
// public traces.
#include <gtest/gtest.h>

#include <filesystem>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/forecasting/forecast/testing/simple_models.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::forecast {
namespace {

using std::chrono::hours;

struct Expected {
  const char* zone;
  double first_day_percent;  // MAPE of `yesterday`, second half of 2021
  double four_days_percent;
};

TEST(RealityBacktestTest, YesterdayHasItsKnownErrorsAndHonestBands) {
  for (const Expected& expected :
       {Expected{"CISO", 9.52, 13.24}, Expected{"ERCO", 14.73, 18.19}, Expected{"DE", 19.70, 26.82},
        Expected{"SE", 6.16, 7.76}, Expected{"PL", 6.92, 8.93}}) {
    const auto file = heliostat::testing::DataFolder() / "carbon/carboncast" /
                      (std::string(expected.zone) + "_lifecycle_emissions.csv");
    if (!std::filesystem::exists(file)) GTEST_SKIP() << heliostat::testing::kNoData << file;
    const auto table = signal_files::ReadSignals(file.string());
    ASSERT_TRUE(table) << table.error().Line();
    const History all{(*table->Find("carbon_intensity"))->signal, {}, {}};
    const BacktestSchedule schedule{
        testing::At("2021-07-01"), testing::At("2021-12-31"), hours{24}, hours{96}, std::nullopt, std::nullopt};
    const auto result = Backtest(all, schedule, {testing::CandidateOfType<testing::Yesterday>("yesterday")}, nullptr);
    ASSERT_TRUE(result) << result.error().Line();
    EXPECT_EQ(result->origins.size(), 181U);
    const auto& model = result->models[0];
    EXPECT_NEAR(model.by_day[0].mape_percent, expected.first_day_percent, 0.005) << expected.zone;
    EXPECT_NEAR(model.score.mape_percent, expected.four_days_percent, 0.005) << expected.zone;
    EXPECT_NEAR(model.score.coverage_percent[0], 50, 3) << expected.zone;
    EXPECT_NEAR(model.score.coverage_percent[1], 80, 2.5) << expected.zone;
    EXPECT_NEAR(model.score.coverage_percent[2], 90, 2) << expected.zone;
  }
}

}  // namespace
}  // namespace heliostat::forecast
