// Every file of the public data folder: counts, ranges and means must be those of the README of the folder. Skipped
// when the folder is absent.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::signal_files {
namespace {

namespace fs = std::filesystem;

struct Expected {
  std::string file;
  std::string format;
  std::string column;
  std::string unit;
  std::size_t rows;
  std::size_t missing;
  std::string start;
  std::int64_t step_s;
  double min, mean, max;  // as printed in the README; NaN where it has no number
  double tolerance;       // half a unit of the last printed digit
};

constexpr double kUnsaid = std::numeric_limits<double>::quiet_NaN();
const char* const kCarbon = "gCO2e/kWh";

std::vector<Expected> Table() {
  std::vector<Expected> table;
  const auto add = [&](Expected row) { table.push_back(std::move(row)); };
  const std::string cc = "carbon/carboncast/";
  for (const auto& [zone, min, mean, max] :
       std::vector<std::tuple<std::string, double, double, double>>{{"CISO", 84, 273, 451},
                                                                    {"ERCO", 153, 366, 545},
                                                                    {"DE", 106, 326, 568},
                                                                    {"SE", 21, 38, 52},
                                                                    {"PL", 423, 674, 778}}) {
    add({cc + zone + "_lifecycle_emissions.csv", "carboncast", "carbon_intensity", kCarbon, 17544, 0,
         "2020-01-01T00:00:00Z", 3600, min, mean, max, 0.5001});
  }
  for (const auto& [zone, mean] : std::vector<std::pair<std::string, double>>{
           {"CISO", 197}, {"ERCO", 299}, {"DE", 262}, {"SE", 42}, {"PL", 610}}) {
    add({cc + "direct_ci_2020_2021.csv", "zone-table", zone, kCarbon, 17544, 0, "2020-01-01T00:00:00Z", 3600, kUnsaid,
         mean, kUnsaid, 0.5001});
  }
  for (const std::string zone : {"CISO", "DE"}) {
    add({cc + zone + "_carbon_from_src_forecasts_lifecycle_Jul_Dec_2021.csv", "carboncast-forecast",
         "forecasted_carbon_intensity_lifecycle", kCarbon, 17376, 0, "2021-07-01T00:00:00Z", 3600, kUnsaid, kUnsaid,
         kUnsaid, 0});
  }
  const std::string em = "carbon/electricitymaps/em_2023_2024_";
  for (const auto& [zone, min, mean, max] :
       std::vector<std::tuple<std::string, double, double, double>>{{"KR", 249, 429, 505},
                                                                    {"DE-LU", 107, 349, 725},
                                                                    {"US-CAL-CISO", 51, 244, 430},
                                                                    {"US-TEX-ERCO", 136, 374, 580},
                                                                    {"US-MIDA-PJM", 266, 392, 522},
                                                                    {"AU-NSW", 171, 553, 808},
                                                                    {"CA-ON", 9, 80, 191},
                                                                    {"GB", 28, 175, 384}}) {
    add({em + "lca.csv", "zone-table", zone, kCarbon, 17544, 0, "2023-01-01T00:00:00Z", 3600, min, mean, max, 0.5001});
    add({em + "direct.csv", "zone-table", zone, kCarbon, 17544, 0, "2023-01-01T00:00:00Z", 3600, kUnsaid, kUnsaid,
         kUnsaid, 0});
    add({em + "renewable_pct.csv", "zone-table", zone, "%", 17544, 0, "2023-01-01T00:00:00Z", 3600, kUnsaid,
         zone == "KR" ? 3 : kUnsaid, kUnsaid, 0.5001});
  }
  add({"carbon/neso_gb/gb_30min_actual_forecast_mix_2023_2024.csv", "neso", "actual", kCarbon, 15660, 221,
       "2023-03-13T03:00:00Z", 1800, 26, 151, 309, 0.5001});
  add({"carbon/chase/carbon_hist.csv", "chase", "hist", kCarbon, 167, 0, "2022-10-20T06:20:00Z", 1800, 529, 622, 680,
       0.5001});
  const std::string rts = "renewable/rts_gmlc/";
  for (const auto& [plant, mean, max] : std::vector<std::tuple<std::string, double, double>>{
           {"309_WIND_1", 40, 148}, {"317_WIND_1", 262, 796}, {"303_WIND_1", 238, 844}, {"122_WIND_1", 239, 711}}) {
    add({rts + "REAL_TIME_wind.csv", "rts-gmlc", plant, "MW", 105408, 0, "2020-01-01T00:00:00Z", 300, kUnsaid, mean,
         max, 0.5001});
    add({rts + "DAY_AHEAD_wind.csv", "rts-gmlc", plant, "MW", 8784, 0, "2020-01-01T00:00:00Z", 3600, kUnsaid, kUnsaid,
         kUnsaid, 0});
  }
  add({rts + "DAY_AHEAD_pv.csv", "rts-gmlc", "320_PV_1", "MW", 8784, 0, "2020-01-01T00:00:00Z", 3600, kUnsaid, kUnsaid,
       kUnsaid, 0});
  const std::string sun = "renewable/solcast_vessim/";
  add({sun + "solcast2022_global_actual.csv", "solcast", "Berlin", "per unit", 8352, 0, "2022-06-08T00:00:00Z", 300, 0,
       kUnsaid, kUnsaid, 0.0001});
  add({sun + "solcast2022_forecast_hourly_issue_4cities.csv", "solcast-forecast", "Berlin", "per unit", 8957, 0,
       "2022-06-08T00:00:00Z", 300, 0, 0.22, kUnsaid, 0.005});
  add({"renewable/kelmarsh/2019_wind_kelmarsh2.csv", "capacity-factor", "Power", "per unit", 8760, 0,
       "2019-01-01T00:00:00Z", 3600, 0, 0.329, 1.00, 0.005});
  for (const auto& [zone, money, missing, min, mean, max] :
       std::vector<std::tuple<std::string, std::string, std::size_t, double, double, double>>{
           {"KR", "KRW", 9, 0, 144306, 310450},
           {"DE-LU", "EUR", 27, -500, 86.9, 936.3},
           {"US-CAL-CISO", "USD", 0, -31.7, 51.0, 1090.9},
           {"US-TEX-ERCO", "USD", 6, -2.9, 42.0, 4191.7},
           {"US-MIDA-PJM", "USD", 48, -41.8, 36.0, 758.8},
           {"AU-NSW", "AUD", 9, -328, 113.5, 16157.5},
           {"CA-ON", "CAD", 5, 0, 30.4, 1394.1}}) {
    add({"price/wholesale/price_utc_2023_2024.csv", "zone-table", zone, money + "/MWh", 17544, missing,
         "2023-01-01T00:00:00Z", 3600, min, mean, max, zone == "KR" || zone == "AU-NSW" ? 0.5001 : 0.0501});
  }
  const std::string raw = "price/wholesale/raw/";
  for (const auto& [name, money, rows, start] :
       std::vector<std::tuple<std::string, std::string, std::size_t, std::string>>{
           {"KR_2023", "KRW", 8760, "2022-12-31T15:00:00Z"},
           {"KR_2024", "KRW", 8784, "2023-12-31T15:00:00Z"},
           {"DE-LU_2023", "EUR", 8760, "2022-12-31T23:00:00Z"},
           {"DE-LU_2024", "EUR", 8760, "2023-12-31T23:00:00Z"},
           {"US-CAL-CISO_2023", "USD", 8784, "2022-12-31T08:00:00Z"},
           {"US-CAL-CISO_2024", "USD", 8808, "2023-12-31T08:00:00Z"},
           {"US-TEX-ERCO_2023", "USD", 8760, "2023-01-01T06:00:00Z"},
           {"US-TEX-ERCO_2024", "USD", 8784, "2024-01-01T06:00:00Z"},
           {"US-MIDA-PJM_2023", "USD", 8736, "2023-01-01T05:00:00Z"},
           {"US-MIDA-PJM_2024", "USD", 8760, "2024-01-01T05:00:00Z"},
           {"AU-NSW_2023", "AUD", 8772, "2022-12-31T14:00:00Z"},
           {"AU-NSW_2024", "AUD", 8796, "2023-12-31T14:00:00Z"},
           {"CA-ON_2023", "CAD", 8760, "2023-01-01T05:00:00Z"},
           {"CA-ON_2024", "CAD", 8784, "2024-01-01T05:00:00Z"}}) {
    add({raw + name + ".csv", "wholesale-price", "price", money + "/MWh", rows, 0, start, 3600, kUnsaid, kUnsaid,
         kUnsaid, 0});
  }
  add({"price/tou/ZA_eskom_megaflex_hourly_2023.csv", "wholesale-price", "price", "ZAR/MWh", 8760, 0,
       "2022-12-31T22:00:00Z", 3600, 799, kUnsaid, 5607, 0.5001});
  return table;
}

class DataTest : public ::testing::TestWithParam<Expected> {};

TEST_P(DataTest, ReadsAsItsReadmeSays) {
  const Expected& want = GetParam();
  const fs::path path = testing::DataFolder() / want.file;
  if (!fs::exists(testing::DataFolder())) GTEST_SKIP() << testing::kNoData << path;
  const auto table = ReadSignals(path);
  ASSERT_TRUE(table) << table.error().Line();
  EXPECT_EQ(table->format, want.format);
  const auto column = table->Find(want.column);
  ASSERT_TRUE(column) << column.error().Line();
  const auto& cells = (*column)->cells;
  EXPECT_EQ(UnitText((*column)->signal.meaning), want.unit);
  EXPECT_EQ(table->rows, want.rows);
  EXPECT_EQ(cells.missing, want.missing);
  EXPECT_EQ(FormatInstant((*column)->signal.series.start()), want.start);
  EXPECT_EQ((*column)->signal.series.step().count(), want.step_s);
  if (!std::isnan(want.min)) {
    EXPECT_NEAR(cells.min, want.min, want.tolerance);
  }
  if (!std::isnan(want.mean)) {
    EXPECT_NEAR(cells.mean, want.mean, want.tolerance);
  }
  if (!std::isnan(want.max)) {
    EXPECT_NEAR(cells.max, want.max, want.tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, DataTest, ::testing::ValuesIn(Table()), [](const auto& test) {
  std::string name = fs::path(test.param.file).stem().string() + "_" + test.param.column;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace heliostat::signal_files
