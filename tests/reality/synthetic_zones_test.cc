// Compares the built-in zones with the real ones that they imitate. Skipped without the real traces. The figures in
// docs/models/synthetic_zones.md are this test's output with HELIOSTAT_PRINT_STATISTICS=1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/signals/signal_files/read.h"
#include "heliostat/signals/synthetic/generate.h"
#include "heliostat/signals/synthetic/testing/statistics.h"

namespace heliostat::synthetic {
namespace {

// One synthetic trace and the real column that it is fitted to.
struct Pair {
  std::string_view zone;
  TraceKind trace;
  std::string_view file;
  std::string_view column;
  double factor = 1;    // from the file's unit to ours
  int later_hours = 0;  // how far the synthetic zone's clock is ahead of the real one's
};

constexpr Interval kTwoYears{std::chrono::sys_days{std::chrono::year{2020} / 1 / 1},
                             std::chrono::sys_days{std::chrono::year{2022} / 1 / 1}};

constexpr std::string_view kMaps = "carbon/electricitymaps/em_2023_2024_lca.csv";
constexpr std::string_view kPrices = "price/wholesale/price_utc_2023_2024.csv";
constexpr std::string_view kCiso = "carbon/carboncast/CISO_lifecycle_emissions.csv";
constexpr std::string_view kErco = "carbon/carboncast/ERCO_lifecycle_emissions.csv";
constexpr std::string_view kDe = "carbon/carboncast/DE_lifecycle_emissions.csv";
constexpr std::string_view kPl = "carbon/carboncast/PL_lifecycle_emissions.csv";
constexpr std::string_view kSe = "carbon/carboncast/SE_lifecycle_emissions.csv";

constexpr Pair kPairs[] = {
    {"solar-heavy", TraceKind::kCarbon, kMaps, "AU-NSW"},
    {"solar-heavy", TraceKind::kPrice, kPrices, "AU-NSW", 1e-3},
    {"wind-heavy", TraceKind::kCarbon, kErco, "carbon_intensity"},
    {"wind-heavy", TraceKind::kPrice, kPrices, "US-TEX-ERCO", 1e-3},
    {"wind-heavy", TraceKind::kWind, kErco, "wind"},
    {"coal", TraceKind::kCarbon, kPl, "carbon_intensity"},
    {"coal", TraceKind::kPrice, kPrices, "DE-LU", 1e-3},
    {"coal", TraceKind::kWind, kPl, "wind"},
    {"hydro", TraceKind::kCarbon, kSe, "carbon_intensity"},
    {"hydro", TraceKind::kPrice, kPrices, "CA-ON", 1e-3, 6},
    {"hydro", TraceKind::kWind, kSe, "wind"},
    {"nuclear", TraceKind::kCarbon, kMaps, "CA-ON"},
    {"nuclear", TraceKind::kPrice, kPrices, "CA-ON", 1e-3},
    {"duck-curve", TraceKind::kCarbon, kMaps, "US-CAL-CISO"},
    {"duck-curve", TraceKind::kPrice, kPrices, "US-CAL-CISO", 1e-3},
    {"duck-curve", TraceKind::kSolar, kCiso, "solar"},
    {"duck-curve", TraceKind::kWind, kCiso, "wind"},
    {"mixed-import", TraceKind::kCarbon, kDe, "carbon_intensity"},
    {"mixed-import", TraceKind::kPrice, kPrices, "DE-LU", 1e-3},
    {"mixed-import", TraceKind::kSolar, kDe, "solar"},
    {"mixed-import", TraceKind::kWind, kDe, "wind"},
    {"thermal-mix", TraceKind::kCarbon, kMaps, "US-MIDA-PJM"},
    {"thermal-mix", TraceKind::kPrice, kPrices, "US-MIDA-PJM", 1e-3},
};

// A file's table. Several pairs share a file, which is read once.
const Result<signal_files::SignalTable>& TableOf(const std::string& path) {
  static std::map<std::string, Result<signal_files::SignalTable>> tables;
  auto found = tables.find(path);
  if (found == tables.end()) found = tables.emplace(path, signal_files::ReadSignals(path)).first;
  return found->second;
}

// The column's hours in order; missing values stay missing.
std::vector<double> ReadColumn(const std::string& path, std::string_view column, double factor) {
  const auto& table = TableOf(path);
  if (!table) return {};
  const auto found = table->Find(column);
  return found ? (*found)->signal.series.Scaled(factor).values() : std::vector<double>{};
}

// Converts generation to capacity factors. Files do not state the installed capacity, so the best hour of each year
// (2020, then 2021) counts as `peak` of it. The fit does the same.
void DivideByCapacity(std::vector<double>& mw, double peak) {
  const std::size_t leap_year = 366 * 24;
  for (const auto& [from, to] : {std::pair{std::size_t{0}, leap_year}, std::pair{leap_year, mw.size()}}) {
    const auto begin = mw.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = mw.begin() + static_cast<std::ptrdiff_t>(to);
    const double best = *std::max_element(begin, end);
    std::for_each(begin, end, [&](double& value) { value = std::clamp(value / best * peak, 0.0, 1.0); });
  }
}

std::string_view NameOf(TraceKind trace) {
  constexpr std::string_view kNames[] = {"carbon", "solar", "wind", "price"};
  return kNames[static_cast<std::size_t>(trace)];
}

class RealityTest : public ::testing::TestWithParam<Pair> {
 protected:
  void SetUp() override {
    const Pair& pair = GetParam();
    const std::string path = testing::DataFolder() / pair.file;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << testing::kNoData << path;
    real_ = ReadColumn(path, pair.column, pair.factor);
    ASSERT_EQ(real_.size(), 17544U) << path << " " << pair.column;
    real_.erase(real_.begin(), real_.begin() + pair.later_hours);
    if (pair.trace == TraceKind::kSolar) DivideByCapacity(real_, 0.85);
    if (pair.trace == TraceKind::kWind) DivideByCapacity(real_, 0.90);
    // Prices need more years, because a few spikes dominate their mean.
    for (std::uint64_t seed = 1; seed <= (pair.trace == TraceKind::kPrice ? 8U : 3U); ++seed) {
      const auto years = Generate({.zone = pair.zone, .trace = pair.trace, .interval = kTwoYears, .seed = seed});
      made_.insert(made_.end(), years->series.values().begin(), years->series.values().end());
    }
  }

  std::vector<double> real_;
  std::vector<double> made_;
};

void Print(const Pair& pair, const Statistics& real, const Statistics& made) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): tests set no environment.
  if (std::getenv("HELIOSTAT_PRINT_STATISTICS") == nullptr) return;
  const auto both = [](double a, double b) { return fmt::format("{:.3g} / {:.3g}", a, b); };
  fmt::print("| {} | {} | {} | {} | {} | {} | {} | {:.3f} | {} | {} | {} |\n", pair.zone, NameOf(pair.trace),
             both(real.mean, made.mean), both(real.deviation, made.deviation), both(real.lag_1, made.lag_1),
             both(real.lag_24, made.lag_24), both(real.lag_168, made.lag_168), Correlation(real.day, made.day),
             both(real.amplitude, made.amplitude),
             pair.trace == TraceKind::kPrice ? both(100 * real.negative, 100 * made.negative) : "",
             pair.trace == TraceKind::kPrice ? both(real.percentile_99, made.percentile_99) : "");
}

TEST_P(RealityTest, HasTheStatisticsOfTheRealZone) {
  const Pair& pair = GetParam();
  const bool is_price = pair.trace == TraceKind::kPrice;
  const Limits limits = is_price ? Limits{Percentile(real_, 0.005), Percentile(real_, 0.995)} : Limits{};
  const Statistics real = StatisticsOf(real_, limits, is_price);
  const Statistics made = StatisticsOf(made_, limits, is_price);
  Print(pair, real, made);

  EXPECT_NEAR(made.mean / real.mean, 1, 0.10);
  EXPECT_NEAR(made.deviation / real.deviation, 1, 0.20);
  EXPECT_NEAR(made.lag_1, real.lag_1, 0.05);
  EXPECT_NEAR(made.lag_24, real.lag_24, 0.15);
  EXPECT_NEAR(made.lag_168, real.lag_168, 0.15);
  // A small swing has a random shape.
  if (real.amplitude > 0.3 * real.deviation) {
    EXPECT_GT(Correlation(real.day, made.day), 0.9);
    EXPECT_NEAR(made.amplitude / real.amplitude, 1, 0.25);
  }
  if (is_price) {
    EXPECT_NEAR(made.negative, real.negative, 0.02);
    EXPECT_NEAR(made.percentile_99 / real.percentile_99, 1, 0.20);
  }
}

INSTANTIATE_TEST_SUITE_P(AllFittedTraces, RealityTest, ::testing::ValuesIn(kPairs), [](const auto& tested) {
  std::string name = fmt::format("{}_{}", tested.param.zone, NameOf(tested.param.trace));
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace heliostat::synthetic
