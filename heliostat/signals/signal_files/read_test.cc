// Formats, tested with small good and bad files.
#include "heliostat/signals/signal_files/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/signals/signal_files/canonical.h"

namespace heliostat::signal_files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SignalTable Read(std::string_view text, const std::string& file, const ReadOptions& options = {}) {
  auto table = ReadSignalText(text, file, options);
  EXPECT_TRUE(table) << table.error().Line();
  return std::move(*table);
}

std::string ErrorOf(std::string_view text, const std::string& file = "x.csv", const ReadOptions& options = {}) {
  const auto table = ReadSignalText(text, file, options);
  return table ? "no error" : table.error().Line();
}

const signal::StepSeries& First(const SignalTable& table) { return table.columns[0].signal.series; }

TEST(CanonicalTest, ReadsTimesUnitsAndGaps) {
  const auto table =
      Read("time,carbon_g_per_kwh,wind_kw\n2023-06-01T00:00:00Z,300,1\n2023-06-01T00:30:00Z,,2\n", "a.csv");
  EXPECT_EQ(table.format, "canonical");
  EXPECT_EQ(First(table).step(), std::chrono::minutes{30});
  EXPECT_EQ(First(table).missing(), 1U);
  EXPECT_EQ(UnitText(table.columns[1].signal.meaning), "kW");
}

TEST(CanonicalTest, WritingAndReadingGivesTheSameBytes) {
  const std::string text =
      "time,carbon_g_per_kwh,price_per_kwh\n2023-06-01T00:00:00Z,300.125,-0.02\n2023-06-01T01:00:00Z,,0.1\n";
  const auto table = Read(text, "a.csv");
  const std::vector<signal::Signal> signals{table.columns[0].signal, table.columns[1].signal};
  EXPECT_EQ(*WriteCanonical(signals), text);
}

TEST(CanonicalTest, ConvertsUnitsAndNamesThem) {
  const auto table = Read("Year,Month,Day,Period,A\n2020,1,1,1,2\n2020,1,1,2,3\n", "REAL_TIME_wind.csv");
  const auto text = WriteCanonical(std::vector{table.columns[0].signal});
  EXPECT_THAT(*text, HasSubstr("time,renewable_kw\n2020-01-01T00:00:00Z,2000\n2020-01-01T12:00:00Z,3000\n"));
}

TEST(CarbonCastTest, ReadsBothDateStyles) {
  const auto iso =
      Read(",UTC time,carbon_intensity,coal\n0,2020-01-01 00:00:00+00:00,1,4\n1,2020-01-01 01:00:00+00:00,2,8\n",
           "DE_direct_emissions.csv");
  const auto us = Read(",UTC time,carbon_intensity,coal\n0,01/01/2020 00:00:00,1,4\n1,01/01/2020 01:00:00,2,8\n",
                       "CISO_lifecycle_emissions.csv");
  EXPECT_EQ(First(iso).start(), First(us).start());
  EXPECT_EQ(iso.columns[0].signal.meaning.basis, signal::Basis::kDirect);
  EXPECT_EQ(us.columns[0].signal.meaning.basis, signal::Basis::kLifecycle);
  EXPECT_EQ(us.columns[0].signal.meaning.zone, "CISO");
  // The columns of Germany are sums of quarter-hours, those of California are not.
  EXPECT_EQ(iso.columns[1].signal.series.values()[0], 1);
  EXPECT_EQ(us.columns[1].signal.series.values()[0], 4);
}

TEST(CarbonCastTest, KeepsEveryIssueOfAForecast) {
  std::string text = ",UTC time,actual_carbon_intensity_lifecycle,forecasted_carbon_intensity_lifecycle\n";
  for (int day = 1; day <= 2; ++day) {
    for (int hour = 0; hour < 48; ++hour) {
      text += "0,2021-07-0" + std::to_string(day + hour / 24) + " " + (hour % 24 < 10 ? "0" : "") +
              std::to_string(hour % 24) + ":00:00," + std::to_string(day * 24 + hour) + "," + std::to_string(day) +
              "\n";
    }
  }
  const auto table = Read(text, "X_lifecycle.csv");
  const SignalColumn& forecast = **table.Find("");
  ASSERT_EQ(forecast.runs.size(), 2U);
  EXPECT_EQ(forecast.cells.count, 96U);
  EXPECT_EQ(forecast.signal.series.size(), 72U);
  EXPECT_EQ(forecast.signal.series.values()[24], 2);  // the newest forecast of that hour
  EXPECT_EQ(forecast.runs[0].series.values()[24], 1);
  EXPECT_TRUE(table.columns[0].runs.empty());
}

TEST(WholesalePriceTest, TurnsLocalDaysOf23And25HoursIntoUtc) {
  std::string text = "Datetime,Price (EUR/MWh)\n";
  const auto day = [&](const std::string& date) {
    for (int h = 0; h < 24; ++h)
      text += date + (h < 10 ? " 0" : " ") + std::to_string(h) + ":00:00," + std::to_string(h) + "\n";
  };
  day("2023-03-25");
  day("2023-03-26");  // clocks skip 02:00
  const auto spring = Read(text, "DE-LU_2023.csv");
  EXPECT_EQ(First(spring).size(), 47U);
  EXPECT_EQ(spring.rows, 48U);
  EXPECT_EQ(spring.dropped, 1U);
  EXPECT_EQ(First(spring).missing(), 0U);
  text = "Datetime,Price (EUR/MWh)\n";
  day("2023-10-28");
  day("2023-10-29");  // clocks show 02:00 twice, the file has it once
  const auto autumn = Read(text, "DE-LU_2023.csv");
  EXPECT_EQ(First(autumn).size(), 49U);
  EXPECT_EQ(First(autumn).missing(), 1U);
  EXPECT_EQ(FormatInstant(First(autumn).end()), "2023-10-29T23:00:00Z");
}

TEST(WholesalePriceTest, AFileWithBothHoursOfTheAutumnDayKeepsBoth) {
  const auto table = Read(
      "Datetime,Price (EUR/MWh)\n2023-10-29 01:00:00,1\n2023-10-29 02:00:00,2\n2023-10-29 02:00:00,3\n2023-10-29 "
      "03:00:00,4\n",
      "FR_2023.csv");
  EXPECT_THAT(First(table).values(), ElementsAre(1, 2, 3, 4));
}

TEST(WholesalePriceTest, ACurrencyHeaderThatLiesIsPutRight) {
  const auto table =
      Read("Datetime,Price (USD/MWh)\n2023-01-01 00:00:00,1\n2023-01-01 01:00:00,2\n", "AU-NSW_2023.csv");
  EXPECT_EQ(UnitText(table.columns[0].signal.meaning), "AUD/MWh");
  EXPECT_THAT(table.notes, ::testing::Contains(HasSubstr("settles in AUD")));
  EXPECT_EQ(FormatInstant(First(table).start()), "2022-12-31T14:00:00Z");
}

TEST(WholesalePriceTest, AnUnknownClockIsSaidAloud) {
  const std::string text = "Datetime,Price (EUR/MWh)\n2023-01-01 00:00:00,1\n2023-01-01 01:00:00,2\n";
  EXPECT_THAT(Read(text, "XX_2023.csv").notes, ::testing::Contains(HasSubstr("read as UTC")));
  ReadOptions options;
  options.time_zone = "-03:00";
  EXPECT_EQ(FormatInstant(First(Read(text, "XX_2023.csv", options)).start()), "2023-01-01T03:00:00Z");
}

TEST(SolcastTest, LabelsEndTheirInterval) {
  const auto table = Read("datetime,Berlin\n2022-06-08 00:05:00,0.1\n2022-06-08 00:10:00,0.2\n", "s.csv");
  EXPECT_EQ(FormatInstant(First(table).start()), "2022-06-08T00:00:00Z");
}

TEST(ElectricityMapsExportTest, ReadsThePortalsFile) {
  const auto table = Read(
      "Datetime (UTC),Country,Zone name,Zone id,Carbon intensity gCO₂eq/kWh (direct),Carbon intensity gCO₂eq/kWh (Life "
      "cycle),Carbon-free energy percentage (CFE%),Renewable energy percentage (RE%),Data source\n"
      "2023-01-01 00:00:00,Germany,Germany,DE,140.5,185.8,80.1,78.4,entsoe\n"
      "2023-01-01 01:00:00,Germany,Germany,DE,140.4,185.7,80.2,78.9,entsoe\n",
      "DE_2023_hourly.csv");
  ASSERT_EQ(table.columns.size(), 4U);
  EXPECT_EQ(table.columns[1].signal.meaning.basis, signal::Basis::kLifecycle);
  EXPECT_EQ(table.columns[1].signal.meaning.zone, "DE");
}

TEST(BadFileTest, IsRefusedWithFileAndLine) {
  const std::string head = "time,carbon_g_per_kwh\n";
  const std::string hour0 = "2023-06-01T00:00:00Z,1\n";
  const std::string hour1 = "2023-06-01T01:00:00Z,2\n";
  const std::string hour2 = "2023-06-01T02:00:00Z,3\n";
  EXPECT_EQ(ErrorOf(""), "x.csv: is empty; a header and rows are needed");
  EXPECT_EQ(ErrorOf(head), "x.csv: has a header but no rows; at least two rows are needed");
  EXPECT_THAT(ErrorOf(head + hour0), HasSubstr("x.csv: has a single row"));
  EXPECT_THAT(ErrorOf(head + hour1 + hour0 + hour2), HasSubstr("x.csv:3: time decreases"));
  EXPECT_THAT(ErrorOf(head + hour0 + hour1 + hour1), HasSubstr("x.csv:4: time 2023-06-01T01:00:00Z is repeated"));
  EXPECT_THAT(ErrorOf(head + hour0 + "2023-06-01T01:00:00Z,nan\n"),
              HasSubstr("x.csv:3: column 'carbon_g_per_kwh': 'nan' is not a number"));
  EXPECT_THAT(ErrorOf(head + hour0 + "2023-06-01T01:00:00Z,-1\n"),
              HasSubstr("x.csv:3: column 'carbon_g_per_kwh': -1 is out of range"));
  EXPECT_THAT(ErrorOf(head + hour0 + "2023-06-01T01:00:00Z,600000\n"), HasSubstr("the unit may be another"));
  EXPECT_THAT(ErrorOf(head + hour0 + "2023-06-01T01:00:00Z\n"), HasSubstr("x.csv:3: row has 1 cell"));
  EXPECT_THAT(ErrorOf(head + hour0 + "yesterday,1\n"), HasSubstr("x.csv:3: 'yesterday' is not a time"));
  EXPECT_THAT(ErrorOf(head + hour0 + hour1 + hour2 + "2023-06-01T02:20:00Z,3\n"),
              HasSubstr("x.csv:5: steps of 1 h and 20 min are mixed"));
  EXPECT_THAT(ErrorOf(head + hour0 + hour1 + hour2 + "9023-06-01T02:00:00Z,3\n"), HasSubstr("x.csv:5: omits"));
  EXPECT_THAT(ErrorOf(head + "0023-06-01T00:00:00Z,1\n0023-06-01T01:00:00Z,2\n"), HasSubstr("a date may be wrong"));
  EXPECT_THAT(ErrorOf(head + std::string(1 << 20, 'a')), HasSubstr("x.csv:2: line is too long"));
  EXPECT_THAT(ErrorOf(std::string("\x7f\x45\x4c\x46\0\0\1", 7)), HasSubstr("NUL byte"));
  EXPECT_THAT(ErrorOf("\x89PNG\r\n\x1a\n"), HasSubstr("no known format"));
  EXPECT_THAT(ErrorOf("time,a,a\n"), HasSubstr("two columns have the name 'a'"));
}

TEST(BadFileTest, MixedStepsAreNotMistakenForGaps) {
  std::string text = "time,carbon_g_per_kwh\n";
  for (int h = 0; h < 20; ++h)
    text += "2023-06-01T" + std::string(h < 10 ? "0" : "") + std::to_string(h) + ":00:00Z,1\n";
  for (int h = 0; h < 20; ++h) {
    for (const char* m : {"00", "15", "30", "45"})
      text += "2023-06-02T" + std::string(h < 10 ? "0" : "") + std::to_string(h) + ":" + m + ":00Z,1\n";
  }
  EXPECT_THAT(ErrorOf(text), HasSubstr("steps of 15 min and 1 h are mixed"));
}

TEST(BadFileTest, RowsLeftOutAreGapsAndCounted) {
  const auto table = Read(
      "time,carbon_g_per_kwh\n2023-06-01T00:00:00Z,1\n2023-06-01T01:00:00Z,2\n2023-06-01T04:00:00Z,3\n2023-06-01T05:00:"
      "00Z,3\n",
      "x.csv");
  EXPECT_EQ(table.rows, 4U);
  EXPECT_EQ(table.absent, 2U);
  EXPECT_EQ(First(table).size(), 6U);
  EXPECT_EQ(First(table).missing(), 2U);
}

TEST(BadFileTest, WrongUnitsInHeadersAreRefused) {
  EXPECT_THAT(ErrorOf("Datetime,Price (EUR/GJ)\n2023-01-01 00:00:00,1\n", "DE-LU_2023.csv"),
              HasSubstr("price unit 'EUR/GJ' is not known"));
  EXPECT_THAT(ErrorOf(",Power\n0,0.5\n1,37\n", "w_2019.csv"), HasSubstr("the unit may be another"));
}

TEST(FormatTest, ANamedFormatMustFit) {
  ReadOptions options;
  options.format = "neso";
  EXPECT_THAT(ErrorOf("time,a_kw\n", "x.csv", options), HasSubstr("does not have the format neso"));
  options.format = "excel";
  EXPECT_THAT(ErrorOf("time,a_kw\n", "x.csv", options), HasSubstr("format option: 'excel' is not known"));
}

TEST(FormatTest, AColumnThatIsNotThereIsNamedWithThoseThatAre) {
  const auto table = Read("time,a_kw,b_kw\n2023-06-01T00:00:00Z,1,1\n2023-06-01T01:00:00Z,2,1\n", "x.csv");
  EXPECT_EQ(table.Find("c").error().Line(), "x.csv: has no column 'c'; one of a_kw, b_kw");
}

}  // namespace
}  // namespace heliostat::signal_files
