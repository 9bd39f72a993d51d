// Raw market files and the aligned table were made independently of this code: reading the first must give the second,
// including clock changes and repeated hours.
#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::signal_files {
namespace {

class RawAgainstAligned : public ::testing::TestWithParam<std::string> {};

TEST_P(RawAgainstAligned, GivesTheSameHours) {
  const auto folder = testing::DataFolder() / "price/wholesale";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << testing::kNoData << folder;
  std::vector<signal::StepSeries> years;
  for (const char* year : {"2023", "2024"}) {
    const auto table = ReadSignals(folder / "raw" / (GetParam() + "_" + year + ".csv"));
    ASSERT_TRUE(table) << table.error().Line();
    years.push_back(table->columns[0].signal.series);
  }
  const auto raw = Join(years, signal::Overlap::kFirstWins);
  ASSERT_TRUE(raw) << raw.error().Line();
  const auto aligned_table = ReadSignals(folder / "price_utc_2023_2024.csv");
  ASSERT_TRUE(aligned_table) << aligned_table.error().Line();
  const auto& aligned = (*aligned_table->Find(GetParam()))->signal.series;
  for (std::size_t i = 0; i < aligned.size(); ++i) {
    const Instant t = aligned.TimeOf(i);
    const auto value = raw->At(t);
    ASSERT_EQ(static_cast<bool>(value), !signal::IsMissing(aligned.values()[i])) << FormatInstant(t);
    if (value) {
      ASSERT_NEAR(*value, aligned.values()[i], 6e-5) << FormatInstant(t);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Zones, RawAgainstAligned,
                         ::testing::Values("KR", "DE-LU", "US-CAL-CISO", "US-TEX-ERCO", "US-MIDA-PJM", "AU-NSW",
                                           "CA-ON"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace heliostat::signal_files
