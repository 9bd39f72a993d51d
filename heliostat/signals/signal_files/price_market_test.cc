#include "heliostat/signals/signal_files/price_market.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/base/core/units.h"
#include "heliostat/base/io/time_zone.h"
#include "heliostat/signals/signal_files/canonical.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::signal_files {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::array kZones{"KR", "DE-LU",  "US-CAL-CISO", "US-TEX-ERCO", "US-MIDA-PJM", "AU-NSW", "CA-ON",
                            "AT", "AU-QLD", "BE",          "CH",          "DE",          "ES",     "FR",
                            "GB", "IN",     "IT",          "JP-TK",       "NL",          "PL",     "PT",
                            "SE", "SG",     "US-NY-NYIS",  "ZA"};

TEST(MarketTest, EveryMarketHasACurrencyAndAClockThatExist) {
  for (const char* zone : kZones) {
    const auto market = FindMarket(zone);
    ASSERT_TRUE(market) << zone;
    EXPECT_EQ(market->zone, zone);
    EXPECT_FALSE(market->name.empty());
    EXPECT_TRUE(Currency::Parse(market->currency)) << zone;
    const auto clock = io::TimeZone::Find(market->clock);
    EXPECT_TRUE(clock) << zone << (clock ? "" : clock.error().Line());
  }
  for (const char* unknown : {"", "de-lu", "DE-LU ", "XX"}) EXPECT_FALSE(FindMarket(unknown)) << unknown;
}

// "2023-10-29 02:00:00", as the market's wall clock shows the instant.
std::string WallClock(const io::TimeZone& zone, Instant t) {
  std::string text = FormatInstant(Instant{zone.ToLocal(t).time_since_epoch()}).substr(0, 19);
  text[10] = ' ';
  return text;
}

SignalTable Read(const std::string& text, const std::string& file, const ReadOptions& options = {}) {
  auto table = ReadSignalText(text, file, options);
  EXPECT_TRUE(table) << table.error().Line();
  return std::move(*table);
}

// A year has both clock changes: every hour, written in local time, must be read at its instant.
TEST(MarketTest, AYearOfLocalHoursIsReadHourByHourWhateverTheClockDoes) {
  for (const char* name : {"DE-LU", "US-TEX-ERCO", "PT", "IN"}) {
    SCOPED_TRACE(name);
    const auto market = FindMarket(name);
    const auto zone = io::TimeZone::Find(market->clock);
    const Instant start = *ParseInstant("2023-02-01T00:00:00Z", "");
    std::string text = fmt::format("Datetime,Price ({}/MWh)\n", market->currency);
    constexpr int kHours = 330 * 24;
    for (int h = 0; h < kHours; ++h) {
      text += fmt::format("{},{}\n", WallClock(*zone, start + std::chrono::hours{h}), h);
    }
    const auto table = Read(text, std::string(name) + "_2023.csv");
    const signal::StepSeries& series = table.columns[0].signal.series;
    EXPECT_EQ(series.start(), start);
    ASSERT_EQ(series.size(), static_cast<std::size_t>(kHours));
    for (int h = 0; h < kHours; ++h) ASSERT_EQ(series.values()[static_cast<std::size_t>(h)], h);
    EXPECT_EQ(table.dropped, 0U);
  }
}

TEST(MarketTest, AnHourThatTheClockSkipsIsDroppedAndCounted) {
  const auto table = Read(
      "Datetime,Price (GBP/MWh)\n2023-03-26 00:00:00,1\n2023-03-26 01:00:00,99\n2023-03-26 02:00:00,2\n"
      "2023-03-26 03:00:00,3\n",
      "GB_2023.csv");
  EXPECT_THAT(table.columns[0].signal.series.values(), ElementsAre(1, 2, 3));
  EXPECT_EQ(table.dropped, 1U);
  EXPECT_THAT(table.notes, Contains(HasSubstr("1 hours that Europe/London skips")));
}

TEST(MarketTest, AnOffsetInTheFileBeatsTheMarketsClock) {
  const auto table =
      Read("Datetime,Price (EUR/MWh)\n2023-07-01 00:00:00+02:00,1\n2023-07-01 01:00:00+02:00,2\n", "DE-LU_2023.csv");
  EXPECT_EQ(FormatInstant(table.columns[0].signal.series.start()), "2023-06-30T22:00:00Z");
  EXPECT_EQ(table.columns[0].signal.meaning.time_base, "offset in the file");
}

TEST(MarketTest, AFirstHourOfAMonthThatStandsTwiceIsKeptOnceWhereSeamsAreKnown) {
  const std::string rows =
      "Datetime,Price (AUD/MWh)\n2023-01-31 23:00:00,1\n2023-02-01 00:00:00,2\n2023-02-01 00:00:00,9\n"
      "2023-02-01 01:00:00,3\n";
  const auto table = Read(rows, "AU-VIC_2023.csv");
  EXPECT_THAT(table.columns[0].signal.series.values(), ElementsAre(1, 2, 3));
  EXPECT_THAT(table.notes, Contains(HasSubstr("1 first hours of a month are repeated")));
  const auto refused = ReadSignalText(rows, "SG_2023.csv");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().Line(), HasSubstr("SG_2023.csv:4: time "));
  // Other hours are not repeated.
  EXPECT_FALSE(
      ReadSignalText("Datetime,Price (AUD/MWh)\n2023-02-01 01:00:00,1\n2023-02-01 02:00:00,2\n"
                     "2023-02-01 02:00:00,3\n",
                     "AU-VIC_2023.csv"));
}

TEST(MarketTest, AClockThatWasNotCheckedIsNoted) {
  const std::string rows = "Datetime,Price (EUR/MWh)\n2023-01-01 00:00:00,1\n2023-01-01 01:00:00,2\n";
  EXPECT_THAT(Read(rows, "AT_2023.csv").notes, Contains(HasSubstr("times are read as Europe/Vienna")));
  EXPECT_THAT(Read(rows, "DE-LU_2023.csv").notes, ::testing::IsEmpty());
}

TEST(MarketTest, PricesOfBothUnitsAreOnePriceInACanonicalFile) {
  const std::string mwh = "Datetime,Price (EUR/MWh)\n2023-01-01 00:00:00,125\n2023-01-01 01:00:00,-500\n";
  const std::string kwh = "Datetime,Price (EUR/kWh)\n2023-01-01 00:00:00,0.125\n2023-01-01 01:00:00,-0.5\n";
  const auto written = WriteCanonical(std::vector{Read(mwh, "DE_2023.csv").columns[0].signal});
  EXPECT_EQ(*written, "time,price_per_kwh\n2022-12-31T23:00:00Z,0.125\n2023-01-01T00:00:00Z,-0.5\n");
  EXPECT_EQ(*WriteCanonical(std::vector{Read(kwh, "DE_2023.csv").columns[0].signal}), *written);
}

TEST(MarketTest, OptionsReplaceZoneAndClockButNotTheCurrencyOfTheHeader) {
  const std::string rows = "Datetime,Price (EUR/MWh)\n2023-01-01 00:00:00,1\n2023-01-01 01:00:00,2\n";
  ReadOptions options;
  options.zone = "PL";
  const auto polish = Read(rows, "DE_2023.csv", options);
  EXPECT_EQ(polish.columns[0].signal.meaning.zone, "PL");
  EXPECT_EQ(UnitText(polish.columns[0].signal.meaning), "EUR/MWh");
  options.currency = "CZK";
  EXPECT_THAT(ReadSignalText(rows, "DE_2023.csv", options).error().Line(),
              HasSubstr("names EUR, option 'currency' says CZK"));
  options.currency = "USD";
  const std::string dollars = "Datetime,Price (USD/MWh)\n2023-01-01 00:00:00,1\n2023-01-01 01:00:00,2\n";
  options.zone = "AU-NSW";
  EXPECT_EQ(UnitText(Read(dollars, "x.csv", options).columns[0].signal.meaning), "USD/MWh");
  options.currency = "AUD";
  EXPECT_EQ(UnitText(Read(dollars, "x.csv", options).columns[0].signal.meaning), "AUD/MWh");
  options.currency = "crowns";
  EXPECT_EQ(ReadSignalText(rows, "DE_2023.csv", options).error().Line(),
            "currency option: 'crowns' is not a currency; three letters such as EUR");
  options.currency.clear();
  options.time_zone = "Mars/Olympus";
  EXPECT_THAT(ReadSignalText(rows, "DE_2023.csv", options).error().Line(), HasSubstr("Mars/Olympus"));
}

}  // namespace
}  // namespace heliostat::signal_files
