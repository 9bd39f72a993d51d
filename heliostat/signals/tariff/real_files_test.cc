// Published tariffs; the tests are skipped unless HELIOSTAT_DATA names a folder with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "heliostat/base/core/testing/data_folder.h"
#include "heliostat/base/io/file.h"
#include "heliostat/signals/tariff/expand.h"
#include "heliostat/signals/tariff/read.h"

namespace heliostat::tariff {
namespace {

using namespace std::chrono_literals;

struct Published {
  const char* file;
  const char* format;
  const char* zone;
  Duration step;
  double cheapest;
  double dearest;
};

// The name of the test, without the bytes of pointers.
void PrintTo(const Published& published, std::ostream* out) { *out << published.file; }

class PublishedTariff : public ::testing::TestWithParam<Published> {};

std::filesystem::path FolderOfTariffs() { return heliostat::testing::DataFolder() / "price/tou"; }

// The cheapest and most expensive rates were read from the files by hand.
TEST_P(PublishedTariff, BecomesAPriceSeries) {
  const Published& expected = GetParam();
  const std::string path = FolderOfTariffs() / expected.file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << heliostat::testing::kNoData << path;
  const auto text = io::ReadFile(path);
  ASSERT_TRUE(text);
  EXPECT_TRUE(LooksLikeTariff(*text));
  const auto tariff = ReadTariff(*text, path);
  ASSERT_TRUE(tariff) << tariff.error().Line();
  EXPECT_EQ(tariff->format, expected.format);
  EXPECT_EQ(tariff->time_zone, expected.zone);

  const Interval year{*ParseInstant("2024-01-01", "test"), *ParseInstant("2025-01-01", "test")};
  const auto price = Expand(*tariff, year);
  ASSERT_TRUE(price) << price.error().Line();
  EXPECT_EQ(price->series.step(), expected.step);
  EXPECT_EQ(price->series.span(), year);
  const auto [least, most] = std::ranges::minmax(price->series.values());
  EXPECT_DOUBLE_EQ(least, expected.cheapest);
  EXPECT_DOUBLE_EQ(most, expected.dearest);
}

INSTANTIATE_TEST_SUITE_P(
    Data, PublishedTariff,
    ::testing::Values(
        Published{"acnportal_sce_tou_ev_4_march_2019.json", "acn-tariff", "America/Los_Angeles", 1h, 0.05623, 0.26668},
        Published{"acnportal_sce_tou_ev_4_march_2019_tou_periods_shifted.json", "acn-tariff", "America/Los_Angeles", 1h,
                  0.05623, 0.26668},
        Published{"acnportal_sce_tou_ev_8_june_2019.json", "acn-tariff", "America/Los_Angeles", 1h, 0.07724, 0.49619},
        Published{"acnportal_sce_tou_ev_8_oct_2018.json", "acn-tariff", "America/Los_Angeles", 1h, 0.03964, 0.17698},
        Published{"acnportal_pge_a10_tou_aug_2019.json", "acn-tariff", "America/Los_Angeles", 30min, 0.13064, 0.23223},
        Published{"billing_pge.csv", "csv-tariff", "America/Los_Angeles", 30min, 0.08981, 0.16299},
        Published{"pnm_large_power_tou_tariff.csv", "csv-tariff", "America/Denver", 1h, 0.015203, 0.0436952},
        Published{"openei_urdb_ann_arbor.json", "urdb", "America/Detroit", 1h, 0.135281, 0.135281}));

TEST(PublishedTariffTest, AnHourlyPriceSeriesIsNoTariff) {
  const std::string path = FolderOfTariffs() / "ZA_eskom_megaflex_hourly_2023.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << heliostat::testing::kNoData << path;
  EXPECT_FALSE(LooksLikeTariff(*io::ReadFile(path)));
}

}  // namespace
}  // namespace heliostat::tariff
