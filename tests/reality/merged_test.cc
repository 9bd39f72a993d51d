// Great Britain's carbon intensity and its grid operator's forecasts as issued: `merged` must have a smaller error than
// either alone. Skipped without the trace.
#include <gtest/gtest.h>

#include <filesystem>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/forecasting/forecast/testing/simple_models.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::forecast {
namespace {

using std::chrono::days;
using std::chrono::hours;

// Hourly, without the mix and from July on, to keep the test fast.
Result<History> GreatBritain(const std::string& file) {
  const auto table = signal_files::ReadSignals(file);
  if (!table) return Propagate(table);
  const signal::Signal& actual = (*table->Find("actual"))->signal;
  auto whole = actual.series.Resample(hours{1});
  if (!whole) return Propagate(whole);
  auto target = whole->Slice({testing::At("2023-07-01"), whole->end()});
  if (!target) return Propagate(target);
  History all{{actual.name, actual.meaning, *target}, {}, {}};
  for (const char* name : {"fc_4h", "fc_12h", "fc_24h", "fc_47h"}) {
    signal::Signal issued = (*table->Find(name))->signal;
    issued.meaning.lead = *issued.meaning.lead - hours{1};  // the second half of an hour is issued later
    auto series = issued.series.Resample(hours{1});
    if (!series) return Propagate(series);
    auto since_july = series->Slice({target->start(), series->end()});
    if (!since_july) return Propagate(since_july);
    issued.series = std::move(*since_july);
    all.issued.push_back({std::move(issued), {}});
  }
  return all;
}

TEST(RealityMergedTest, BeatsTheGridOperatorAndUsAlone) {
  const auto file = heliostat::testing::DataFolder() / "carbon/neso_gb/gb_30min_actual_forecast_mix_2023_2024.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << heliostat::testing::kNoData << file;
  const auto all = GreatBritain(file.string());
  ASSERT_TRUE(all) << all.error().Line();
  const BacktestSchedule schedule{
      testing::At("2023-11-01"), testing::At("2023-12-10"), days{1}, hours{46}, std::nullopt, std::nullopt};
  std::vector<double> mae;
  for (const char* name : {"auto", "provider", "merged"}) {
    const auto result = Backtest(*all, schedule, {*CandidateOf(name)}, nullptr);
    ASSERT_TRUE(result) << name << ": " << result.error().Line();
    EXPECT_EQ(result->origins.size(), 40U);
    mae.push_back(result->models[0].score.mae);
  }
  EXPECT_LT(mae[2], mae[0]);
  EXPECT_LT(mae[2], mae[1]);
}

}  // namespace
}  // namespace heliostat::forecast
