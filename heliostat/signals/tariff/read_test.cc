#include "heliostat/signals/tariff/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/signals/tariff/describe.h"
#include "heliostat/signals/tariff/testing/samples.h"
#include "heliostat/signals/tariff/utility.h"

namespace heliostat::tariff {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::string Replaced(std::string text, std::string_view old, std::string_view with) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), with);
}

std::string ErrorOf(const std::string& text, const std::string& file) {
  const auto tariff = ReadTariff(text, file);
  return tariff ? "no error" : tariff.error().Line();
}

TEST(ReadTariffTest, ReadsAnAcnSchedule) {
  const auto tariff = ReadTariff(testing::kAcn, "sample.json");
  ASSERT_TRUE(tariff) << tariff.error().Line();
  EXPECT_EQ(tariff->format, "acn-tariff");
  EXPECT_EQ(tariff->name, "SCE Sample");
  EXPECT_EQ(tariff->utility, "Southern California Edison");
  EXPECT_EQ(tariff->time_zone, "America/Los_Angeles");
  EXPECT_EQ(FormatInstant(*tariff->effective_from), "2021-03-01T00:00:00Z");
  ASSERT_EQ(tariff->rates.size(), 7U);
  EXPECT_EQ(tariff->rates[1].when.from, 8h + 30min);
  EXPECT_EQ(tariff->rates[1].when.to, 20h);
  EXPECT_EQ(tariff->rates[1].tiers.front().rate, 0.4);
  EXPECT_EQ(tariff->rates[6].when.season.last, (MonthDay{5, 31}));
  // Weekdays and weekends of one season are charged once.
  ASSERT_EQ(tariff->demand.size(), 1U);
  EXPECT_EQ(tariff->demand[0].per_kw, 12.5);
  EXPECT_EQ(tariff->demand[0].when.front().weekdays, kEveryDay);
}

TEST(ReadTariffTest, ASeasonThatEndsWithFebruaryIncludesTheLeapDay) {
  std::string text =
      Replaced(testing::kAcn, "\"10-01\", \"effective_end\": \"5-31\"", "\"03-01\", \"effective_end\": \"5-31\"");
  text =
      Replaced(text, "{\"id\": \"Winter\"",
               R"({"id": "Cold", "effective_start": "10-01", "effective_end": "2-28", "dow_mask": "ALL", "times": [0],
                     "tariffs": [1]}, {"id": "Winter")");
  const auto tariff = ReadTariff(text, "sample.json");
  EXPECT_TRUE(tariff) << tariff.error().Line();
}

// As published for PG&E A-10: both winter entries have the mask ALL, and only their names differ.
TEST(ReadTariffTest, EntriesThatBothClaimAllDaysAreReadAsTheirNamesSay) {
  const std::string two = R"({"name": "X", "effective": "2019-01-01", "schedule": [
    {"id": "A-Weekday", "effective_start": "01-01", "effective_end": "12-31", "dow_mask": "ALL", "times": [0], "tariffs": [0.3]},
    {"id": "A-Weekend", "effective_start": "01-01", "effective_end": "12-31", "dow_mask": "ALL", "times": [0], "tariffs": [0.1]}]})";
  const auto tariff = ReadTariff(two, "x.json");
  ASSERT_TRUE(tariff) << tariff.error().Line();
  EXPECT_EQ(tariff->rates[0].when.weekdays, kMondayToFriday);
  EXPECT_EQ(tariff->rates[1].when.weekdays, kWeekend);
  EXPECT_FALSE(tariff->notes.empty());
  // Without such names it is a contradiction.
  std::string nameless = two;
  nameless.replace(nameless.find("A-Weekend"), 9, "A-Sometim");
  EXPECT_FALSE(ReadTariff(nameless, "x.json"));
}

TEST(ReadTariffTest, ReadsUrdb) {
  const auto tariff = ReadTariff(testing::Urdb(), "urdb.json");
  ASSERT_TRUE(tariff) << tariff.error().Line();
  EXPECT_EQ(tariff->format, "urdb");
  EXPECT_EQ(tariff->time_zone, "America/Detroit");
  EXPECT_EQ(tariff->fixed_per_month, 2.0);
  EXPECT_EQ(FormatInstant(*tariff->effective_to), "2020-12-31T23:59:59Z");
  // Summer working days in three windows, summer weekends in one, winter in one that includes the end of the year.
  ASSERT_EQ(tariff->rates.size(), 5U);
  const EnergyRate& peak = tariff->rates[1];
  EXPECT_EQ(peak.when.season.name, "May to October");
  EXPECT_EQ(peak.when.weekdays, kMondayToFriday);
  EXPECT_EQ(peak.when.from, 14h);
  EXPECT_EQ(peak.when.to, 19h);
  EXPECT_EQ(peak.tiers.front().rate, 0.25);
  EXPECT_EQ(tariff->rates[4].when.season.name, "November to April");
  const auto& tiers = tariff->rates[0].tiers;
  ASSERT_EQ(tiers.size(), 2U);
  EXPECT_DOUBLE_EQ(tiers[0].rate, 0.12);  // rate and adjustment
  EXPECT_EQ(tiers[0].up_to, 500.0);
  EXPECT_THAT(tariff->notes, Contains(HasSubstr("tiers")));
  EXPECT_THAT(tariff->notes, Contains(HasSubstr("exported energy")));
  ASSERT_EQ(tariff->demand.size(), 1U);
  EXPECT_EQ(tariff->demand[0].per_kw, 10.0);
  EXPECT_EQ(tariff->demand[0].when.front().season.name, "May to October");
}

TEST(ReadTariffTest, ReadsUrdbDemandByTheHour) {
  const auto table = testing::UrdbTable([](int, int hour) { return hour < 12 ? 0 : 1; });
  const std::string text =
      Replaced(testing::Urdb(), "\"flatdemandstructure\"",
               "\"demandratestructure\": [[{\"rate\": 0}], [{\"rate\": 4}]], \"demandweekdayschedule\": " + table +
                   ", \"demandweekendschedule\": " + table + ", \"flatdemandstructure\"");
  const auto tariff = ReadTariff(text, "urdb.json");
  ASSERT_TRUE(tariff) << tariff.error().Line();
  ASSERT_EQ(tariff->demand.size(), 2U);
  EXPECT_EQ(tariff->demand[0].name, "period 1");
  EXPECT_EQ(tariff->demand[0].per_kw, 4.0);
  EXPECT_EQ(tariff->demand[0].when.front().from, 12h);
}

TEST(ReadTariffTest, SeveralItemsAreChosenByName) {
  std::string item = testing::Urdb();
  item = item.substr(item.find('[') + 1);
  item.resize(item.rfind(']'));
  const std::string text = "{\"items\": [" + item + ", " + Replaced(item, "General Sample", "Large Sample") + "]}";
  EXPECT_EQ(ErrorOf(text, "urdb.json"), "urdb.json: holds 2 tariffs; name one of 'General Sample', 'Large Sample'");
  EXPECT_EQ(ReadTariff(text, "urdb.json", "Large Sample")->name, "Large Sample");
  EXPECT_EQ(ReadTariff(text, "urdb.json", "Small").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadTariffs(text, "urdb.json")->size(), 2U);
}

TEST(ReadTariffTest, ReadsATableOfCharges) {
  const auto tariff = ReadTariff(testing::kCsv, "some/billing_pge.csv");
  ASSERT_TRUE(tariff) << tariff.error().Line();
  EXPECT_EQ(tariff->format, "csv-tariff");
  EXPECT_EQ(tariff->name, "billing_pge");
  EXPECT_EQ(tariff->time_zone, "America/Los_Angeles");
  EXPECT_EQ(tariff->currency, Currency::Usd());
  EXPECT_EQ(tariff->fixed_per_month, 100.5);
  ASSERT_EQ(tariff->rates.size(), 5U);
  EXPECT_EQ(tariff->rates[1].when.from, 8h + 30min);
  EXPECT_EQ(tariff->rates[4].tiers.size(), 2U);
  EXPECT_EQ(tariff->rates[4].tiers[0].up_to, 500.0);
  ASSERT_EQ(tariff->demand.size(), 2U);
  EXPECT_EQ(tariff->demand[1].name, "shoulder");
  EXPECT_EQ(tariff->demand[1].when.size(), 2U);  // one charge, two windows
  EXPECT_THAT(tariff->notes, Contains(HasSubstr("1 rows for gas")));
  EXPECT_THAT(tariff->notes, Contains(HasSubstr("exported energy")));
}

TEST(ReadTariffTest, ReadsATableWithImperialAndMetricCharges) {
  const std::string header =
      "utility,type,assessed,period,basic_charge_limit (imperial),basic_charge_limit (metric),month_start,month_end,"
      "hour_start,hour_end,weekday_start,weekday_end,charge (imperial),charge (metric),units,Notes\n";
  const auto tariff = ReadTariff(header + "electric,energy,,,0,0,1,12,0,24,0,6,0.2,0.2,EUR/kWh,\n", "x.csv");
  ASSERT_TRUE(tariff) << tariff.error().Line();
  EXPECT_EQ(tariff->currency, Currency::Eur());
  EXPECT_EQ(tariff->rates[0].tiers[0].rate, 0.2);
  EXPECT_THAT(ErrorOf(header + "electric,energy,,,0,0,1,12,0,24,0,6,0.2,0.3,EUR/kWh,\n", "x.csv"),
              HasSubstr("x.csv:2: charge (metric) is '0.3'"));
}

TEST(ReadTariffTest, MistakesInATableAreNamedByLine) {
  struct Case {
    std::string_view old, with, error;
  };
  for (const Case& wrong : {
           Case{"5,10,0,8.5", "5,13,0,8.5", "x.csv:6: month_end is '13'; must be a whole number from 5 to 12"},
           Case{"5,10,0,8.5", "0,10,0,8.5", "x.csv:6: month_start is '0'; must be a whole number from 1 to 12"},
           Case{"5,10,0,8.5", "5,10,-1,8.5", "x.csv:6: hour is -1; must be from 0 to 24, in whole quarters of an hour"},
           Case{"5,10,0,8.5", "5,10,0,8.3", "x.csv:6: hour is 8.3; must be from 0 to 24, in whole quarters of an hour"},
           Case{"5,10,0,8.5", "5,10,9,8.5", "x.csv:6: hour_end is '8.5'; must be after hour_start"},
           Case{"0,4,0.08", "0,7,0.08", "x.csv:6: weekday_end is '7'; must be a whole number from 0 to 6"},
           Case{"0.08,$/kWh", "nan,$/kWh", "x.csv:6: charge is 'nan'; must be a number"},
           Case{"0.08,$/kWh", "9e9,$/kWh",
                "x.csv:6: rate 9000000000 is out of range; its magnitude must be below a million"},
           Case{"0.08,$/kWh", "0.08,$/MWh", "x.csv:6: units is '$/MWh'; must be per kWh for an energy charge"},
           Case{"0.08,$/kWh", "0.08,EUR/kWh", "x.csv:6: units is 'EUR/kWh'; one currency per table"},
           Case{"electric,energy,,0,,5,10,0,8.5", "water,energy,,0,,5,10,0,8.5",
                "x.csv:6: utility is 'water'; must be electric or gas"},
           Case{"electric,energy,,0,,5,10,0,8.5", "electric,fee,,0,,5,10,0,8.5",
                "x.csv:6: type is 'fee'; must be customer, energy, demand or export"},
           Case{"5,10,8.5,24,0,4,0.16", "5,10,8,24,0,4,0.16",
                "x.csv: season 'May to October', Monday 08:00 has two rates, the other from season 'May to October'; "
                "each "
                "hour must have exactly one"},
           Case{"5,10,8.5,24,0,4,0.16", "5,10,9,24,0,4,0.16",
                "x.csv: 1 May to 31 October, Monday 08:30 has no rate; each hour must have exactly one"},
       }) {
    EXPECT_EQ(ErrorOf(Replaced(testing::kCsv, wrong.old, wrong.with), "x.csv"), wrong.error);
  }
}

TEST(ReadTariffTest, MistakesInAnAcnScheduleAreNamedByPath) {
  struct Case {
    std::string_view old, with, error;
  };
  for (const Case& wrong : {
           Case{"[0, 8.5, 20]", "[0, 20, 8.5]",
                "x.json: schedule[0].times[2]: 8.5 is out of order; times must begin with 0 and rise, all below 24"},
           Case{"[0, 8.5, 20]", "[1, 8.5, 20]",
                "x.json: schedule[0].times[0]: 1 is out of order; times must begin with 0 and rise, all below 24"},
           Case{"[0, 8.5, 20]", "[0, 8.5, -20]",
                "x.json: schedule[0].times[2]: hour is -20; must be from 0 to 24, in whole quarters of an hour"},
           Case{"[0, 8.5, 20]", "[0, 8.5]", "x.json: schedule[0]: has 2 times and 3 tariffs; one time per tariff"},
           Case{"[0.1, 0.4, 0.2]", "[0.1, \"0.4\", 0.2]", "x.json: schedule[0].tariffs[1]: is text; must be a number"},
           Case{"[0.1, 0.4, 0.2]", "[0.1, NaN, 0.2]",
                "x.json: is not valid JSON at byte 219; must be one JSON document"},
           Case{"\"06-01\"", "\"13-01\"",
                "x.json: schedule[0].effective_start: '13-01' is not a day; month and day such as 06-01"},
           Case{"\"9-30\"", "\"9-31\"",
                "x.json: schedule[0].effective_end: '9-31' is not a day; month and day such as 06-01"},
           Case{"\"WEEKDAYS\"", "\"HOLIDAYS\"",
                "x.json: schedule[0].dow_mask: 'HOLIDAYS' is not known; ALL, WEEKDAYS or WEEKENDS"},
           Case{
               "\"WEEKDAYS\"", "\"ALL\"",
               "x.json: season 'Summer-Weekend', Saturday 00:00 has two rates, the other from season 'Summer-Weekday'; "
               "each hour must have exactly one"},
           Case{"\"2021-3-1\"", "\"soon\"", "x.json: effective: 'soon' is not a date; a date such as 2019-03-01"},
       }) {
    EXPECT_EQ(ErrorOf(Replaced(testing::kAcn, wrong.old, wrong.with), "x.json"), wrong.error);
  }
}

TEST(ReadTariffTest, MistakesInUrdbAreNamedByPath) {
  const auto table = [](int wrong) {
    return testing::UrdbTable([&](int month, int hour) { return month == 4 && hour == 17 ? wrong : 0; });
  };
  EXPECT_EQ(ErrorOf(testing::Urdb(table(2), table(0)), "u.json"),
            "u.json: items[0].energyweekdayschedule[3][17]: period is 2; must be from 0 to 1; there are 2 periods");
  EXPECT_EQ(ErrorOf(testing::Urdb(table(0), table(-1)), "u.json"),
            "u.json: items[0].energyweekendschedule[3][17]: period is -1; must be from 0 to 1; there are 2 periods");
  EXPECT_EQ(ErrorOf(testing::Urdb(table(0), "[[0]]"), "u.json"),
            "u.json: items[0].energyweekendschedule: has 1 entries; must have 12, one per month");
  EXPECT_EQ(ErrorOf(Replaced(testing::Urdb(), "\"rate\": 0.25", "\"rate\": \"dear\""), "u.json"),
            "u.json: items[0].energyratestructure[1][0].rate: is text; must be a number");
  EXPECT_EQ(ErrorOf(Replaced(testing::Urdb(), "\"rate\": 0.25, ", ""), "u.json"),
            "u.json: items[0].energyratestructure[1][0]: has neither 'rate' nor 'adj'; one of them is needed");
  EXPECT_EQ(ErrorOf(Replaced(testing::Urdb(), "1577836800", "1e300"), "u.json"),
            "u.json: items[0].startdate: is a number; must be a whole number");
}

// Any truncated part of a file is refused with one line that names the file.
TEST(ReadTariffTest, FilesThatAreCutOffAreRefused) {
  for (const std::string& text : {std::string(testing::kAcn), testing::Urdb()}) {
    for (std::size_t length = 0; length < text.size(); length += 7) {
      EXPECT_THAT(ErrorOf(text.substr(0, length), "cut.json"), HasSubstr("cut.json")) << length;
    }
  }
  const std::string table = testing::kCsv;
  EXPECT_THAT(ErrorOf(table.substr(0, table.find("0.16")), "cut.csv"), HasSubstr("cut.csv:7: row has 12"));
}

TEST(ReadTariffTest, WhatIsNoTariffIsRefused) {
  for (const char* text :
       {"", "  \n", "{}", "[]", "time,price_per_kwh\n2023-01-01T00:00Z,0.1\n", "{\"schedule\": 3}"}) {
    EXPECT_FALSE(LooksLikeTariff(text)) << text;
    EXPECT_EQ(ReadTariff(text, "x").error().code, ErrorCode::kInvalidArgument) << text;
  }
  EXPECT_TRUE(LooksLikeTariff(testing::kAcn));
  EXPECT_TRUE(LooksLikeTariff(testing::kCsv));
  EXPECT_TRUE(LooksLikeTariff(testing::Urdb()));
}

TEST(UtilityTest, IsFoundByWholeWords) {
  EXPECT_EQ(FindUtility("PG&E A-10")->time_zone, "America/Los_Angeles");
  EXPECT_EQ(FindUtility("pnm_large_power_tou_tariff.csv")->time_zone, "America/Denver");
  EXPECT_EQ(FindUtility("DTE Energy")->time_zone, "America/Detroit");
  EXPECT_FALSE(FindUtility("SCENIC power"));
  EXPECT_FALSE(FindUtility(""));
}

TEST(DescribeTest, ShowsRatesChargesAndNotes) {
  const std::string text = Describe(*ReadTariff(testing::kCsv, "billing_pge.csv"));
  EXPECT_THAT(text, HasSubstr("fixed      100.5 USD per month"));
  EXPECT_THAT(text, HasSubstr("May to October           Monday to Friday   08:30-24:00  0.16\n"));
  EXPECT_THAT(text, HasSubstr("0.07 up to 500 kWh, then 0.11\n"));
  EXPECT_THAT(text, HasSubstr("21 monthly, peak\n"));
  EXPECT_THAT(text, HasSubstr("note: 1 rows for gas are omitted\n"));
}

TEST(DescribeTest, CannotBeUsedToWriteToTheTerminal) {
  const auto tariff = ReadTariff(Replaced(testing::kAcn, "SCE Sample", "SCE\\u001b[31m"), "x.json");
  ASSERT_TRUE(tariff);
  EXPECT_EQ(Describe(*tariff).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace heliostat::tariff
