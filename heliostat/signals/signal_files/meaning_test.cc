// The meaning of a column from headers, file names and options, and repeated forecasts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/signals/signal_files/canonical.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::signal_files {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

SignalTable Read(const std::string& text, const std::string& file, const ReadOptions& options = {}) {
  auto table = ReadSignalText(text, file, options);
  EXPECT_TRUE(table) << table.error().Line();
  return std::move(*table);
}

std::string ErrorOf(const std::string& text, const std::string& file = "x.csv", const ReadOptions& options = {}) {
  const auto table = ReadSignalText(text, file, options);
  return table ? "no error" : table.error().Line();
}

const std::string kZones = "utc,GB,XX\n2023-06-01 00:00,10,20\n2023-06-01 01:00,11,21\n";

TEST(ZoneTableTest, TheFilesNameSaysWhatTheNumbersAre) {
  const auto unit = [](const std::string& file) { return UnitText(Read(kZones, file).columns[0].signal.meaning); };
  EXPECT_EQ(unit("raw/price_2023.csv"), "GBP/MWh");
  EXPECT_EQ(unit("renewable_pct.csv"), "%");
  EXPECT_EQ(unit("DIRECT.csv"), "gCO2e/kWh");
  EXPECT_EQ(unit("price_of/numbers.csv"), "none");  // the name of a folder does not count
  EXPECT_THAT(Read(kZones, "numbers.csv").notes, Contains(HasSubstr("set option 'quantity'")));
  EXPECT_EQ(Read(kZones, "em_lca.csv").columns[1].signal.meaning.basis, signal::Basis::kLifecycle);
  EXPECT_EQ(Read(kZones, "em_lca.csv").columns[1].signal.meaning.source, "Electricity Maps");
  EXPECT_EQ(Read(kZones, "em_lca.csv").columns[1].signal.meaning.zone, "XX");
}

TEST(ZoneTableTest, AnOptionBeatsTheFilesName) {
  ReadOptions options;
  options.quantity = "power";
  EXPECT_EQ(UnitText(Read(kZones, "price.csv", options).columns[0].signal.meaning), "MW");
  options.quantity = "share";
  EXPECT_EQ(UnitText(Read(kZones, "price.csv", options).columns[0].signal.meaning), "%");
  options.quantity = "weather";
  EXPECT_EQ(ErrorOf(kZones, "price.csv", options),
            "quantity option: 'weather' is not known; one of carbon, price, share, power");
}

TEST(ZoneTableTest, APriceWithoutACurrencyIsNoted) {
  const auto table = Read(kZones, "price.csv");
  EXPECT_EQ(UnitText(table.columns[0].signal.meaning), "GBP/MWh");
  EXPECT_EQ(UnitText(table.columns[1].signal.meaning), "?/MWh");
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("currency of zone 'XX' is not known")));
}

TEST(NesoTest, LeadsStandInTheNamesAndTheMixIsInPercent) {
  const auto table =
      Read("utc,actual,fc_0.5h,fc_48h,fc_x,wind\n2023-06-01 00:00,1,2,3,4,5\n2023-06-01 00:30,1,2,3,4,5\n", "gb.csv");
  const auto meaning = [&](const char* name) { return (*table.Find(name))->signal.meaning; };
  EXPECT_EQ(meaning("actual").nature, signal::Nature::kMeasured);
  EXPECT_EQ(meaning("fc_0.5h").lead, 30min);
  EXPECT_EQ(meaning("fc_48h").lead, 48h);
  EXPECT_EQ(meaning("fc_48h").nature, signal::Nature::kForecast);
  EXPECT_EQ(meaning("fc_x").kind, signal::Kind::kShare);
  EXPECT_EQ(meaning("wind").kind, signal::Kind::kShare);
  EXPECT_THAT(ErrorOf("utc,actual,wind\n2023-06-01 00:00,1,101\n", "gb.csv"),
              StartsWith("gb.csv:2: column 'wind': 101 is out of range for share in %"));
}

TEST(ChaseTest, OneLocationAndOneStepPerFile) {
  const std::string head = "location,timestamp,duration,value,hist\nA,2022-10-20 06:00,30,5,6\n";
  EXPECT_THAT(ErrorOf(head + "B,2022-10-20 06:30,30,5,6\n"), StartsWith("x.csv:3: location or duration differs"));
  EXPECT_THAT(ErrorOf(head + "A,2022-10-20 06:30,60,5,6\n"), StartsWith("x.csv:3: location or duration differs"));
  EXPECT_THAT(ErrorOf(head + "A,2022-10-20 07:00,30,5,6\n"), HasSubstr("rows are 1 h apart but their duration is 30"));
  const auto table = Read(head, "x.csv");  // a single row: its duration is the step
  EXPECT_EQ(table.columns[0].signal.series.step(), 30min);
  EXPECT_EQ(table.primary, 1U);
  EXPECT_EQ(table.columns[0].signal.meaning.nature, signal::Nature::kForecast);
}

TEST(RtsGmlcTest, PeriodsCutTheDayAndTheOffsetIsThatOfWinter) {
  std::string text = "Year,Month,Day,Period,A\n";
  for (int p = 1; p <= 288; ++p) text += fmt::format("2020,7,1,{},{}\n", p, p);
  ReadOptions options;
  options.time_zone = "America/Denver";
  const auto table = Read(text, "REAL_TIME_wind.csv", options);
  EXPECT_EQ(table.columns[0].signal.series.step(), 5min);
  EXPECT_EQ(FormatInstant(table.columns[0].signal.series.start()), "2020-07-01T07:00:00Z");
  EXPECT_THAT(ErrorOf(text + "2020,7,2,289,1\n"), StartsWith("x.csv:290: period '289' is out of range; 1 to 288"));
  EXPECT_THAT(ErrorOf(text + "2020,7,2,0,1\n"), StartsWith("x.csv:290: period '0'"));
  EXPECT_THAT(ErrorOf(text + "2020,6,31,1,1\n"), StartsWith("x.csv:290: '2020-6-31' is not a time"));
  EXPECT_THAT(ErrorOf("Year,Month,Day,Period,A\n2020,1,1,1,1\n2020,1,1,7,1\n"), HasSubstr("do not divide it evenly"));
}

TEST(CapacityFactorTest, TheYearStandsInTheNameOrTheSpanBegins) {
  const std::string text = ",Power\n0,0.5\n1,0.6\n";
  EXPECT_EQ(FormatInstant(Read(text, "w_2019_v12345.csv").columns[0].signal.series.start()), "2019-01-01T00:00:00Z");
  EXPECT_THAT(ErrorOf(text, "w12019.csv"), HasSubstr("has row numbers and no times"));
  ReadOptions options;
  options.span = Interval{*ParseInstant("2021-03-01", ""), *ParseInstant("2021-03-02", "")};
  EXPECT_EQ(FormatInstant(Read(text, "w.csv", options).columns[0].signal.series.start()), "2021-03-01T00:00:00Z");
  EXPECT_THAT(ErrorOf(",Power\n0,0.5\n2,0.6\n", "w_2019.csv"),
              StartsWith("w_2019.csv:3: row number is '2'; must be 1"));
}

TEST(ElectricityMapsExportTest, OneZonePerFile) {
  const std::string head = "Datetime (UTC),Zone id,Carbon intensity (direct),Carbon intensity (LCA),Low carbon\n";
  EXPECT_THAT(ErrorOf(head + "2023-01-01 00:00,DE,1,2,3\n2023-01-01 01:00,FR,1,2,3\n"),
              StartsWith("x.csv:3: zone 'FR' follows 'DE'; one zone per file"));
}

TEST(SolcastTest, TheFirstStepMustBeTheUsualOne) {
  EXPECT_THAT(ErrorOf("datetime,A\n2022-06-08 00:10,0\n2022-06-08 00:20,0\n2022-06-08 00:25,0\n2022-06-08 00:30,0\n"
                      "2022-06-08 00:35,0\n"),
              StartsWith("x.csv:3: the first two rows are 10 min apart, most others 5 min"));
}

TEST(SolcastForecastTest, EveryIssueIsARunAndTheNewestWordCounts) {
  const std::string head = "datetime,period_end,Berlin\n";
  const std::string first = "2022-06-08 00:00,2022-06-08 00:05,0.1\n2022-06-08 00:00,2022-06-08 00:10,0.2\n";
  const std::string second = "2022-06-08 00:05,2022-06-08 00:10,0.3\n2022-06-08 00:05,2022-06-08 00:15,0.4\n";
  const auto table = Read(head + first + second, "f.csv");
  const SignalColumn& column = table.columns[0];
  EXPECT_THAT(column.signal.series.values(), ElementsAre(0.1, 0.3, 0.4));
  EXPECT_EQ(FormatInstant(column.signal.series.start()), "2022-06-08T00:00:00Z");
  ASSERT_EQ(column.runs.size(), 2U);
  EXPECT_THAT(column.runs[0].series.values(), ElementsAre(0.1, 0.2));
  EXPECT_EQ(FormatInstant(column.runs[1].issued), "2022-06-08T00:05:00Z");
  EXPECT_THAT(ErrorOf(head + second + first), StartsWith("x.csv:4: an earlier forecast follows a later one"));
  EXPECT_THAT(ErrorOf(head + "2022-06-08 00:00,2022-06-08 00:05,0\n2022-06-08 00:00,2022-06-08 00:15,0\n"),
              StartsWith("x.csv:3: targets of one forecast are not 5 minutes apart"));
  EXPECT_THAT(ErrorOf(head + "2022-06-08 00:10,2022-06-08 00:05,0\n"),
              HasSubstr("period_end must be a multiple of 5 minutes"));
  EXPECT_THAT(ErrorOf(head), HasSubstr("has a header but no rows"));
}

// Two forecasts of two days each, issued a day apart; the second has the date `labelled`.
std::string TwoForecasts(int labelled, int measured_from) {
  std::string text = ",UTC time,actual_carbon_intensity,forecasted_carbon_intensity\n";
  for (int h = 0; h < 48; ++h) text += fmt::format("0,2021-07-{:02} {:02}:00:00,{},1\n", 1 + h / 24, h % 24, h);
  for (int h = 0; h < 48; ++h) {
    text += fmt::format("0,2021-07-{:02} {:02}:00:00,{},2\n", labelled + h / 24, h % 24, measured_from + h);
  }
  return text;
}

TEST(CarbonCastForecastTest, ABlockWithItsNeighboursDateIsPutRightByWhatWasMeasured) {
  const auto table = Read(TwoForecasts(1, 24), "X.csv");
  const SignalColumn& forecast = **table.Find("");
  ASSERT_EQ(forecast.runs.size(), 2U);
  EXPECT_EQ(FormatInstant(forecast.runs[1].issued), "2021-07-02T00:00:00Z");
  EXPECT_THAT(table.notes, Contains(HasSubstr("the forecast at line 50 has the date of the one before")));
  EXPECT_EQ(Read(TwoForecasts(2, 24), "X.csv").notes.size(), 0U);
  EXPECT_THAT(ErrorOf(TwoForecasts(1, 25)), StartsWith("x.csv:50: a forecast from 2021-07-01T00:00:00Z follows one"));
}

TEST(CarbonCastForecastTest, HoursOfAForecastFollowEachOther) {
  const std::string head = ",UTC time,forecasted_carbon_intensity\n0,2021-07-01 00:00:00,1\n";
  EXPECT_THAT(ErrorOf(head + "0,2021-07-01 02:00:00,1\n"),
              StartsWith("x.csv:3: jumps from 2021-07-01T00:00:00Z to 2021-07-01T02:00:00Z"));
  EXPECT_THAT(ErrorOf(head + "0,2021-07-01 01:30:00,1\n"), HasSubstr("write whole hours"));
}

TEST(CarbonCastTest, PumpingIsNegativeAndUnknownSourcesAreNoted) {
  const auto table =
      Read(",UTC time,carbon_intensity,hydro,fusion\n0,2020-01-01 00:00,1,-5,1\n1,2020-01-01 01:00,1,2,1\n",
           "CISO_direct.csv");
  EXPECT_EQ((*table.Find("hydro"))->signal.series.values()[0], -5);
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("column 'fusion' is not a known source")));
}

signal::Signal Power(const std::string& name, std::vector<double> values, signal::Unit unit = signal::Unit::kMegawatt) {
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kPower;
  meaning.unit = unit;
  return {name, meaning, *signal::StepSeries::Make(Instant{}, 1h, std::move(values))};
}

TEST(CanonicalWriterTest, NamesSayTheUnitAndStayApart) {
  EXPECT_EQ(CanonicalName(Power("wind", {1}), true), "renewable_kw");
  EXPECT_EQ(CanonicalName(Power("wind", {1}), false), "wind_kw");
  EXPECT_EQ(CanonicalName(Power("hydro", {-1}), true), "hydro_kw");  // the power of a site cannot be negative
  EXPECT_EQ(CanonicalName(Power("wind_kw", {1}), true), "wind_kw");
  EXPECT_EQ(*WriteCanonical(std::vector{Power("a", {2}), Power("b", {3}, signal::Unit::kWatt)}),
            "time,a_kw,b_kw\n1970-01-01T00:00:00Z,2000,0.003\n");
}

TEST(CanonicalWriterTest, NegativePowerAndNamesWithCommasAreReadAgain) {
  const std::vector<signal::Signal> signals{Power("pump, \"big\"", {-1, 2, signal::Missing()}), Power("x", {1, 2, 3})};
  const auto text = WriteCanonical(signals);
  ASSERT_TRUE(text);
  const auto table = Read(*text, "a.csv");
  EXPECT_EQ(table.columns[0].signal.name, "pump, \"big\"_kw");
  EXPECT_EQ(table.columns[0].signal.series.values()[0], -1000);
  EXPECT_EQ(table.columns[0].signal.series.missing(), 1U);
}

TEST(CanonicalWriterTest, RefusesNothingOtherTimesAndEqualNames) {
  EXPECT_EQ(WriteCanonical({}).error().Line(), "signals: there are no signals to write; at least one is needed");
  EXPECT_THAT(WriteCanonical(std::vector{Power("a", {1}), Power("b", {1, 2})}).error().Line(),
              StartsWith("b: has times different from those of the first column"));
  EXPECT_THAT(WriteCanonical(std::vector{Power("a", {1}), Power("a_kw", {1})}).error().Line(),
              StartsWith("a_kw: is the second column with the name 'a_kw'"));
}

TEST(CanonicalTest, BoundsFollowTheKind) {
  const auto read = [](const std::string& name, const char* value) {
    return ErrorOf(fmt::format("time,{}\n2023-06-01T00:00Z,{}\n2023-06-01T01:00Z,1\n", name, value));
  };
  EXPECT_EQ(read("a_g_per_kwh", "5000"), "no error");
  EXPECT_THAT(read("a_g_per_kwh", "5000.1"), HasSubstr("at most 5000; the unit may be another"));
  EXPECT_EQ(read("capacity_factor", "1.5"), "no error");
  EXPECT_THAT(read("capacity_factor", "1.51"), HasSubstr("at most 1.5"));
  EXPECT_THAT(read("share_percent", "-0.1"), HasSubstr("must not be negative"));
  EXPECT_THAT(read("renewable_kw", "-1"), HasSubstr("must not be negative"));
  EXPECT_EQ(read("hydro_kw", "-1"), "no error");
  EXPECT_EQ(read("price_per_kwh", "-9000"), "no error");
  EXPECT_EQ(read("whatever", "-9000"), "no error");
}

}  // namespace
}  // namespace heliostat::signal_files
