#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/signals/tariff/describe.h"
#include "heliostat/signals/tariff/read.h"
#include "heliostat/signals/tariff/testing/samples.h"
#include "heliostat/signals/tariff/utility.h"

namespace heliostat::tariff {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string ErrorOf(const std::string& text, const std::string& file = "x.csv") {
  const auto tariff = ReadTariff(text, file);
  return tariff ? "no error" : tariff.error().Line();
}

std::string Replaced(std::string text, std::string_view old, std::string_view with) {
  const auto at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), with);
}

// A table whose only rates are these rows.
std::string Table(const std::string& rows) { return testing::kCsvHeader + rows; }

constexpr const char* kAllYear = "electric,energy,,0,,1,12,0,24,0,6,0.1,$/kWh\n";

TEST(CsvTariffTest, RowsOfOneWindowWithRisingLimitsAreTiers) {
  const auto tariff = ReadTariff(Table(std::string(kAllYear) + "electric,energy,,100,,1,12,0,24,0,6,0.2,$/kWh\n" +
                                       "electric,energy,,300,,1,12,0,24,0,6,0.3,$/kWh\n"),
                                 "x.csv");
  ASSERT_TRUE(tariff) << tariff.error().Line();
  ASSERT_EQ(tariff->rates.size(), 1U);
  const auto& tiers = tariff->rates[0].tiers;
  ASSERT_EQ(tiers.size(), 3U);
  EXPECT_EQ(tiers[0].up_to, 100.0);
  EXPECT_EQ(tiers[1].up_to, 300.0);
  EXPECT_FALSE(tiers[2].up_to.has_value());
  EXPECT_EQ(tiers[2].rate, 0.3);
  EXPECT_THAT(Describe(*tariff), HasSubstr("0.1 up to 100 kWh, then 0.2 up to 300 kWh, then 0.3\n"));
}

TEST(CsvTariffTest, ALimitThatDoesNotRiseIsRefusedWithItsLine) {
  const std::string second = "electric,energy,,300,,1,12,0,24,0,6,0.2,$/kWh\n";
  for (const char* limit : {"100", "300", "-5"}) {
    const std::string third = std::string("electric,energy,,") + limit + ",,1,12,0,24,0,6,0.3,$/kWh\n";
    EXPECT_THAT(ErrorOf(Table(kAllYear + second + third)), HasSubstr("x.csv:4: basic_charge_limit is ")) << limit;
  }
  EXPECT_THAT(ErrorOf(Table(std::string(kAllYear) + "electric,energy,,-5,,1,12,0,24,0,6,0.2,$/kWh\n")),
              HasSubstr("x.csv:3: basic_charge_limit is -5"));
}

TEST(CsvTariffTest, ATierNeedsTheRowItFollows) {
  EXPECT_THAT(ErrorOf(Table("electric,energy,,100,,1,12,0,24,0,6,0.2,$/kWh\n")),
              HasSubstr("x.csv:2: basic_charge_limit is 100; the row with limit 0 for the same months"));
}

TEST(CsvTariffTest, EveryKindOfChargeHasItsUnits) {
  struct Case {
    const char* row;
    const char* error;
  };
  for (const Case& wrong :
       {Case{"electric,customer,,,,,,,,,,100.5,$/kWh\n",
             "x.csv:3: units is '$/kWh'; must be per month for a customer charge"},
        Case{"electric,demand,p,0,,5,10,12,18,0,4,21,$/kWh\n",
             "x.csv:3: units is '$/kWh'; must be per kW for a demand charge"},
        Case{"electric,demand,p,0,,5,10,12,18,0,4,21,kW\n", "x.csv:3: units is 'kW'; money per unit such as $/kWh"},
        Case{"electric,demand,p,0,,5,10,12,18,0,4,21,tea/kW\n",
             "x.csv:3: units is 'tea/kW'; money per unit such as $/kWh"}}) {
    EXPECT_EQ(ErrorOf(Table(std::string(kAllYear) + wrong.row)), wrong.error);
  }
}

TEST(CsvTariffTest, CustomerChargesAddUpAndSymbolsNameTheCurrency) {
  const auto tariff =
      ReadTariff(Table("electric,energy,,0,,1,12,0,24,0,6,0.1,€/kWh\n"
                       "electric,customer,,,,,,,,,,10,€/month\nelectric,customer,,,,,,,,,,2.5,€/month\n"),
                 "x.csv");
  ASSERT_TRUE(tariff) << tariff.error().Line();
  EXPECT_EQ(tariff->fixed_per_month, 12.5);
  EXPECT_EQ(tariff->currency, Currency::Eur());
}

TEST(CsvTariffTest, AHeaderThatLacksAColumnIsRefused) {
  EXPECT_THAT(ErrorOf("month_start,hour_start,weekday_start\n1,2,3\n"),
              HasSubstr("x.csv:1: the header lacks a column"));
}

TEST(ReadTariffTest, AByteOrderMarkChangesNothing) {
  const std::string mark = "\xEF\xBB\xBF";
  for (const std::string& text : {std::string(testing::kAcn), testing::kCsv, testing::Urdb()}) {
    EXPECT_TRUE(LooksLikeTariff(mark + text));
    EXPECT_EQ(ErrorOf(mark + text), ErrorOf(text));
  }
}

TEST(UrdbTest, AnItemAloneIsATariff) {
  std::string item = testing::Urdb();
  item = item.substr(item.find('[') + 1);
  item.resize(item.rfind(']'));
  const auto tariff = ReadTariff(item, "u.json");
  ASSERT_TRUE(tariff) << tariff.error().Line();
  EXPECT_EQ(tariff->name, "General Sample");
}

TEST(UrdbTest, FixedChargesAreTurnedIntoMonths) {
  const auto fixed = [](std::string_view units) {
    const auto tariff = ReadTariff(Replaced(testing::Urdb(), "$/month", units), "u.json");
    return tariff ? *tariff->fixed_per_month : -1.0;
  };
  EXPECT_DOUBLE_EQ(fixed("$/month"), 2.0);
  EXPECT_DOUBLE_EQ(fixed("$/day"), 2.0 * 365 / 12);
  EXPECT_DOUBLE_EQ(fixed("$/year"), 2.0 / 12);
  EXPECT_THAT(ErrorOf(Replaced(testing::Urdb(), "$/month", "$/moon"), "u.json"),
              HasSubstr("u.json: items[0].fixedchargeunits: '$/moon' is not known; $/month, $/day or $/year"));
}

TEST(UrdbTest, WhatIsIncompleteIsNamedByItsPath) {
  struct Case {
    const char* old;
    const char* with;
    const char* error;
  };
  for (const Case& wrong :
       {Case{"[{\"rate\": 0.25, \"sell\": 0.1}]", "[]", "u.json: items[0].energyratestructure[1]: has no tier"},
        Case{"[0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0]", "[0, 0]",
             "u.json: items[0].flatdemandmonths: has 2 entries; must have 12, one per month"},
        Case{"[0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0]", "[0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 0, 0]",
             "u.json: items[0].flatdemandmonths[4]: period is 2"},
        Case{"1577836800", "99999999999", "u.json: items[0].startdate: 99999999999 is not a date"},
        Case{"\"max\": 500", "\"max\": \"lots\"", "u.json: items[0].energyratestructure[0][0].max: is text"},
        Case{"\"rate\": 9.5", "\"rate\": 9.5e9", "u.json: items[0].flatdemandstructure[1][0].rate: rate 9500000000"}}) {
    EXPECT_THAT(ErrorOf(Replaced(testing::Urdb(), wrong.old, wrong.with), "u.json"), HasSubstr(wrong.error));
  }
  EXPECT_THAT(ErrorOf("{\"items\": [], \"x\": {\"energyratestructure\": 1}}", "u.json"), HasSubstr("has no tariff"));
}

TEST(UrdbTest, TiersOfDemandAreNoted) {
  const auto plain = ReadTariff(testing::Urdb(), "u.json");
  EXPECT_THAT(plain->notes, Not(Contains(HasSubstr("demand charges have tiers"))));
  const auto tiered = ReadTariff(
      Replaced(testing::Urdb(), "[{\"rate\": 9.5, \"adj\": 0.5}]", "[{\"rate\": 9, \"max\": 50}, {\"rate\": 8}]"),
      "u.json");
  ASSERT_TRUE(tiered) << tiered.error().Line();
  EXPECT_THAT(tiered->notes, Contains("flat demand charges have tiers: the first tier is shown"));
  EXPECT_EQ(tiered->demand[0].per_kw, 9.0);
}

TEST(DescribeTest, SaysFromWhenToWhenOrThatNothingDoes) {
  Tariff tariff = *ReadTariff(testing::Urdb(), "u.json");
  EXPECT_THAT(Describe(tariff), HasSubstr("effective  2020-01-01 to 2020-12-31\n"));
  tariff.effective_to.reset();
  EXPECT_THAT(Describe(tariff), HasSubstr("effective  2020-01-01 to open\n"));
  tariff.effective_from.reset();
  EXPECT_THAT(Describe(tariff), HasSubstr("effective  not given\n"));
  tariff.demand.clear();
  EXPECT_THAT(Describe(tariff), Not(HasSubstr("demand,")));
}

TEST(UtilityTest, TheTariffsOwnNamesComeBeforeItsFiles) {
  Tariff tariff;
  tariff.utility = "Detroit Edison Co";
  tariff.file = "folder/billing_pge.csv";
  AddTimeZone(tariff);
  EXPECT_EQ(tariff.time_zone, "America/Detroit");
  EXPECT_EQ(tariff.utility, "Detroit Edison Co") << "what is said is kept";
  EXPECT_THAT(tariff.notes, Contains("time zone America/Detroit is derived from the name 'Detroit Edison Co'"));
  Tariff unknown;
  unknown.file = "pge/rates.csv";
  AddTimeZone(unknown);
  EXPECT_EQ(unknown.time_zone, "") << "a folder's name says nothing";
  EXPECT_THAT(unknown.notes, Contains(HasSubstr("the time zone is not known")));
}

}  // namespace
}  // namespace heliostat::tariff
