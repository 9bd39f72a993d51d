// Tables that no format describes: layouts, clocks, units and refusals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/signals/signal_files/read.h"
#include "heliostat/signals/signal_files/table_view.h"

namespace heliostat::signal_files {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

SignalTable Read(const std::string& text, const ReadOptions& options = {}) {
  auto table = ReadSignalText(text, "x.csv", options);
  EXPECT_TRUE(table) << table.error().Line() << "\n" << text;
  return table ? std::move(*table) : SignalTable{};
}

std::string ErrorOf(const std::string& text, const ReadOptions& options = {}) {
  const auto table = ReadSignalText(text, "x.csv", options);
  return table ? "no error" : table.error().Line();
}

const signal::Signal& Main(const SignalTable& table) { return table.columns[table.primary].signal; }

// Hours of prices around 80, from day 27 on: the order of day and month is plain.
std::string Table(std::string_view format, char delimiter, char decimal) {
  std::string text = fmt::format("Zeit{}Preis [EUR/MWh]\n", delimiter);
  for (int i = 0; i < 48; ++i) {
    const int day = 27 + i / 24;
    const int hour = i % 24;
    std::string time;
    if (format == "iso") time = fmt::format("2023-03-{}T{:02}:00:00Z", day, hour);
    if (format == "dmy") time = fmt::format("{}/03/2023 {:02}:00", day, hour);
    if (format == "mdy")
      time = fmt::format("3/{}/2023 {}:00:00 {}", day, (hour + 11) % 12 + 1, hour < 12 ? "AM" : "PM");
    if (format == "dots") time = fmt::format("{}.03.2023 {:02}:00 - {}.03.2023 {:02}:59", day, hour, day, hour);
    if (format == "epoch") time = fmt::format("{}", 1679875200 + i * 3600);
    if (format == "ms") time = fmt::format("{}000", 1679875200 + i * 3600);
    std::string value = fmt::format("{:.2f}", 80 + i * 1.25);
    value[value.find('.')] = decimal;
    if (decimal == delimiter) value = '"' + value + '"';
    text += fmt::format("{}{}{}\n", time, delimiter, value);
  }
  return text;
}

TEST(AnyTableTest, OneTableInEveryDialectIsOneSeries) {
  const auto expected = Main(Read(Table("iso", ',', '.'))).series;
  EXPECT_EQ(FormatInstant(expected.start()), "2023-03-27T00:00:00Z");
  EXPECT_EQ(expected.size(), 48U);
  for (const char* format : {"iso", "dmy", "mdy", "dots", "epoch", "ms"}) {
    for (const char delimiter : {',', ';', '\t', '|'}) {
      for (const char decimal : {'.', ','}) {
        SCOPED_TRACE(fmt::format("{} '{}' '{}'", format, delimiter, decimal));
        const std::string text = Table(format, delimiter, decimal);
        for (const std::string& one : {text, "# made by hand\n\n" + text, "Title of the table\nfrom a portal\n" + text,
                                       "\xEF\xBB\xBF" + text, text + "Source: a portal\n"}) {
          const auto table = Read(one);
          ASSERT_EQ(table.columns.size(), 1U);
          EXPECT_EQ(Main(table).series.span(), expected.span());
          EXPECT_EQ(Main(table).series.values(), expected.values());
          EXPECT_EQ(UnitText(Main(table).meaning), "EUR/MWh");
          EXPECT_THAT(table.told, HasSubstr("times in 'Zeit'"));
        }
      }
    }
  }
}

TEST(AnyTableTest, AnEmptyTableOrNoTableIsRefused) {
  EXPECT_THAT(ErrorOf("when;what\n"), HasSubstr("no known format"));
  EXPECT_THAT(ErrorOf("a;b\nc;d\ne;f\n"), HasSubstr("no known format"));
  EXPECT_THAT(ErrorOf("id;price [EUR/MWh]\n1;2\n3;4\n5;6\n"), HasSubstr("name it with option 'time-column'"));
}

std::string Hours(const std::string& header, std::initializer_list<std::string> values) {
  std::string text = header + "\n";
  int hour = 0;
  for (const std::string& value : values) text += fmt::format("2023-06-01 {:02}:00;{}\n", hour++, value);
  return text;
}

TEST(AnyTableTest, AUnitIsKnownOrRefused) {
  const auto values = {std::string("91"), std::string("85,5"), std::string("70")};
  EXPECT_EQ(UnitText(Main(Read(Hours("when;Price €/MWh", values))).meaning), "EUR/MWh");
  EXPECT_EQ(ErrorOf(Hours("when;price", values)),
            "x.csv: column 'price' does not state its unit; set option 'unit', such as EUR/MWh or ct/kWh");
  ReadOptions options;
  options.table.unit = "ct/kWh";
  options.currency = "EUR";
  const auto cents = Read(Hours("when;price", values), options);
  EXPECT_EQ(UnitText(Main(cents).meaning), "EUR/kWh");
  EXPECT_DOUBLE_EQ(Main(cents).series.values()[2], 0.7);
  options.table.unit = "furlongs";
  EXPECT_THAT(ErrorOf(Hours("when;price", values), options), HasSubstr("unit option: 'furlongs' is not a known unit"));
}

TEST(AnyTableTest, UnitsOfCarbonAreConverted) {
  const auto pounds = Read(Hours("when;MOER lbs/MWh", {"1000", "900,5", "800"}));
  EXPECT_EQ(UnitText(Main(pounds).meaning), "gCO2e/kWh");
  EXPECT_DOUBLE_EQ(Main(pounds).series.values()[0], 453.59237);
  EXPECT_THAT(Main(Read(Hours("when;carbon t/MWh", {"0,5", "0,25", "1"}))).series.values(),
              ElementsAre(500, 250, 1000));
}

TEST(AnyTableTest, EnergyOfAStepBecomesMeanPower) {
  std::string text = "when;PV [MWh]\n";
  for (int i = 0; i < 4; ++i) text += fmt::format("2023-06-01 00:{:02};{},5\n", 15 * i, i);
  EXPECT_THAT(Main(Read(text)).series.values(), ElementsAre(2, 6, 10, 14));
}

TEST(AnyTableTest, ValuesThatContradictTheHeaderAreRefused) {
  const auto error = ErrorOf(Hours("when;price EUR/kWh", {"91", "85,5", "70", "64", "71", "80"}));
  EXPECT_THAT(error, HasSubstr("claims to be in EUR/kWh, but its mean of 76.92 looks like EUR/MWh"));
  EXPECT_THAT(error, HasSubstr("set option 'unit'"));
  ReadOptions options;
  options.table.unit = "EUR/MWh";
  EXPECT_EQ(UnitText(Main(Read(Hours("when;price EUR/kWh", {"91", "85,5", "70", "64", "71", "80"}), options)).meaning),
            "EUR/MWh");
}

TEST(AnyTableTest, ACurrencyIsThatOfHeaderOrOptionAndNeverTwo) {
  ReadOptions options;
  options.currency = "USD";
  EXPECT_EQ(
      ErrorOf(Hours("when;price EUR/MWh", {"91", "85,5"}), options),
      "x.csv: names EUR, option 'currency' says USD; leave the option out, or set option 'unit' if the file is wrong");
  options.currency = "AUD";
  EXPECT_EQ(UnitText(Main(Read(Hours("when;RRP $/MWh", {"91", "85,5"}), options)).meaning), "AUD/MWh");
  EXPECT_THAT(Read(Hours("when;RRP $/MWh", {"91", "85,5"})).notes, Contains(HasSubstr("read as USD")));
}

TEST(AnyTableTest, DaysOf23And25HoursAreRightInLocalTime) {
  ReadOptions options;
  options.time_zone = "Europe/Berlin";
  std::string spring = "Datum;Stunde;EUR/MWh\n";
  std::string autumn = "Zeit;EUR/MWh\n";
  for (int hour = 0; hour < 24; ++hour) {
    if (hour != 2) spring += fmt::format("26.03.2023;{:02}:00;{},5\n", hour, hour);
    autumn += fmt::format("29.10.2023 {:02}:00;{},5\n", hour, hour);
    if (hour == 2) autumn += fmt::format("29.10.2023 {:02}:00;{},7\n", hour, hour);
  }
  const auto short_day = Read(spring, options);
  EXPECT_EQ(Main(short_day).series.size(), 23U);
  EXPECT_EQ(short_day.absent, 0U);
  EXPECT_EQ(FormatInstant(Main(short_day).series.start()), "2023-03-25T23:00:00Z");
  const auto long_day = Read(autumn, options);
  EXPECT_EQ(Main(long_day).series.size(), 25U);
  EXPECT_EQ(FormatInstant(Main(long_day).series.end()), "2023-10-29T23:00:00Z");
  EXPECT_EQ(Main(long_day).series.values()[3], 2.7);
}

TEST(AnyTableTest, NumberedPeriodsCountRealHours) {
  ReadOptions options;
  options.time_zone = "Europe/London";
  std::string text = "Settlement Date,Settlement Period,GBP/MWh\n";
  for (int period = 1; period <= 46; ++period) text += fmt::format("2023-03-26,{},{}\n", period, period);
  for (int period = 1; period <= 48; ++period) text += fmt::format("2023-03-27,{},{}\n", period, period);
  for (int period = 1; period <= 48; ++period) text += fmt::format("2023-03-28,{},{}\n", period, period);
  const auto table = Read(text, options);
  EXPECT_EQ(Main(table).series.step(), std::chrono::minutes{30});
  EXPECT_EQ(Main(table).series.size(), 142U);
  EXPECT_EQ(table.absent, 0U);
}

TEST(AnyTableTest, AnAmbiguousDateOrderIsRefusedUnlessTheStepsDecide) {
  const std::string one_day = "when,EUR/MWh\n03/04/2023 00:00,80\n03/04/2023 01:00,81\n03/04/2023 02:00,82\n";
  EXPECT_EQ(
      ErrorOf(one_day),
      "x.csv: date '03/04/2023 00:00' can be read in two ways; set option 'date-order' to day-first or month-first");
  ReadOptions options;
  options.table.date_order = "month-first";
  EXPECT_EQ(FormatInstant(Main(Read(one_day, options)).series.start()), "2023-03-04T00:00:00Z");
  std::string days = "when,EUR/MWh\n";
  for (int i = 0; i < 48; ++i) days += fmt::format("0{}/04/2023 {:02}:00,80.5\n", 3 + i / 24, i % 24);
  const auto steps = Read(days);
  EXPECT_EQ(FormatInstant(Main(steps).series.start()), "2023-04-03T00:00:00Z");
}

TEST(AnyTableTest, LabelsThatEndTheirIntervalAreMovedToItsBegin) {
  const std::string text = "Hour Ending;EUR/MWh\n2023-06-01 01:00;80\n2023-06-01 02:00;81\n";
  EXPECT_EQ(FormatInstant(Main(Read(text)).series.start()), "2023-06-01T00:00:00Z");
  const std::string both =
      "end;start;EUR/MWh\n2023-06-01 01:00;2023-06-01 00:00;80\n2023-06-01 02:00;2023-06-01 01:00;8\n";
  EXPECT_EQ(FormatInstant(Main(Read(both)).series.start()), "2023-06-01T00:00:00Z");
}

TEST(AnyTableTest, NewestFirstIsTurnedRoundAndOtherOrdersAreNamed) {
  EXPECT_THAT(Main(Read("when;EUR/MWh\n2023-06-01 02:00;3\n2023-06-01 01:00;2\n2023-06-01 00:00;1\n")).series.values(),
              ElementsAre(1, 2, 3));
  EXPECT_THAT(ErrorOf("when;EUR/MWh\n2023-06-01 01:00;3\n2023-06-01 02:00;2\n2023-06-01 02:00;1\n2023-06-01 03:00;1\n"),
              HasSubstr("x.csv:4: time 2023-06-01T02:00:00Z is repeated"));
}

TEST(AnyTableTest, BadRowsAreAllNamedAndSkippedOnRequest) {
  std::string text = "when;EUR/MWh\n";
  for (int i = 0; i < 20; ++i) text += fmt::format("2023-06-01 {:02}:00;{}\n", i, i % 6 == 5 ? "broken" : "80,5");
  EXPECT_EQ(
      ErrorOf(text),
      "x.csv:7: column 'EUR/MWh': 'broken' is not a number (3 bad rows: lines 7, 13, 19); leave the cell empty where "
      "a value is missing, or skip bad rows with option 'skip-bad-rows'");
  ReadOptions options;
  options.table.skips_bad_rows = true;
  const auto table = Read(text, options);
  EXPECT_EQ(table.skipped, 3U);
  EXPECT_EQ(Main(table).series.missing(), 3U);
  EXPECT_EQ(Main(table).series.size(), 20U);
  // The same in a format that is known.
  const std::string canonical =
      "time,carbon_g_per_kwh\n2023-06-01T00:00:00Z,1\n2023-06-01T01:00:00Z,x\nnoon,3\n"
      "2023-06-01T03:00:00Z\n2023-06-01T04:00:00Z,5\n2023-06-01T05:00:00Z,6\n"
      "2023-06-01T06:00:00Z,6\n2023-06-01T07:00:00Z,6\n";
  const auto known = Read(canonical, options);
  EXPECT_EQ(known.skipped, 3U);
  EXPECT_EQ(Main(known).series.size(), 8U);
  EXPECT_EQ(Main(known).series.missing(), 3U);
}

TEST(AnyTableTest, MostlyBadRowsAreNoTable) {
  ReadOptions options;
  options.table.skips_bad_rows = true;
  EXPECT_THAT(ErrorOf("time,carbon_g_per_kwh\n2023-06-01T00:00:00Z,1\n2023-06-01T01:00:00Z,x\n2023-06-01T02:00:00Z,y\n",
                      options),
              HasSubstr("2 of 3 rows are bad: lines 3, 4"));
}

TEST(AnyTableTest, SeveralSeriesNeedAChoice) {
  std::string text = "when,node,value\n";
  for (int i = 0; i < 6; ++i) {
    for (const char* node : {"north", "south"}) {
      text += fmt::format("2023-06-0{}T00:00Z,{},{}\n", i + 1, node, node[0] == 'n' ? 50 + i : 90 + i);
    }
  }
  ReadOptions options;
  options.table.unit = "EUR/MWh";
  EXPECT_EQ(ErrorOf(text, options),
            "x.csv: has several rows for each time; choose one series with option 'where', such as 'node=north'");
  options.table.where = {"node=south"};
  EXPECT_EQ(Main(Read(text, options)).series.values().front(), 90);
}

TEST(AnyTableTest, ColumnsAreFoundInAnyCaseByNumberOrWithAHint) {
  ReadOptions options;
  options.table.columns = {"de-LU eur/mwh"};
  const std::string text = "when;DE-LU EUR/MWh;AT EUR/MWh\n2023-06-01 00:00;80;70\n2023-06-01 01:00;81;71\n";
  EXPECT_EQ(Main(Read(text, options)).name, "DE-LU EUR/MWh");
  options.table.columns = {"3"};
  EXPECT_EQ((*Read(text, options).Find("3"))->signal.name, "AT EUR/MWh");
  options.table.columns = {"AT EUR/MW"};
  EXPECT_THAT(ErrorOf(text, options), HasSubstr("did you mean AT EUR/MWh?"));
}

TEST(AnyTableTest, AViewShowsWhatIsThereAndWhatIsNeeded) {
  const auto view = ViewTable("when;a;b\n2023-06-01 00:00;80;70\n2023-06-01 01:00;81;71\n", "x.csv", {});
  ASSERT_TRUE(view);
  EXPECT_EQ(view->layout.columns.size(), 3U);
  EXPECT_EQ(GuessText(view->layout.columns[0]), "time");
  EXPECT_EQ(FormatInstant(view->times->end), "2023-06-01T01:00:00Z");
  EXPECT_THAT(view->needs, ElementsAre("value-column", "unit"));
}

// A table with a row for each day and `columns` hours; cells are numbers from `first` on, empty behind `filled`.
std::string DayRow(const std::string& date, int first, int filled, int columns) {
  std::string row = date + ",hub";
  for (int i = 0; i < columns; ++i) row += i < filled ? fmt::format(",{}.5", first + i) : ",";
  return row + "\n";
}

std::string HourHeader(int columns) {
  std::string header = "Day,Node";
  for (int hour = 1; hour <= columns; ++hour) header += fmt::format(",HE {}", hour);
  return header + "\n";
}

ReadOptions InChicago() {
  ReadOptions options;
  options.table.unit = "USD/MWh";
  options.time_zone = "America/Chicago";
  return options;
}

void ExpectCounts(const SignalTable& table, std::size_t count) {
  const auto& series = Main(table).series;
  ASSERT_EQ(series.values().size(), count);
  EXPECT_EQ(series.step(), Duration{3600});
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(series.values()[i], static_cast<double>(i) + 1.5) << i;
}

TEST(AnyTableTest, HoursAsColumnsAreOneSeries) {
  const std::string text = HourHeader(24) + DayRow("2023-06-01", 1, 24, 24) + DayRow("2023-06-02", 25, 24, 24);
  const auto table = Read(text, InChicago());
  ExpectCounts(table, 48);
  EXPECT_EQ(FormatInstant(Main(table).series.start()), "2023-06-01T05:00:00Z");
  EXPECT_THAT(table.told, HasSubstr("times in 'Day+HE 1 to HE 24' (America/Chicago); values in 'HE 1 to HE 24'"));
}

TEST(AnyTableTest, HoursAsColumnsHaveDaysOf23And25Hours) {
  // By the hours that have passed: the 24th is empty in March, a 25th is filled in November.
  ExpectCounts(Read(HourHeader(25) + DayRow("2023-03-11", 1, 24, 25) + DayRow("2023-03-12", 25, 23, 25) +
                        DayRow("2023-03-13", 48, 24, 25),
                    InChicago()),
               71);
  ExpectCounts(Read(HourHeader(25) + DayRow("2023-11-04", 1, 24, 25) + DayRow("2023-11-05", 25, 25, 25) +
                        DayRow("2023-11-06", 50, 24, 25),
                    InChicago()),
               73);
  // By the clock: the hour that it skips is empty, and the hour that it shows twice has a second column.
  std::string skipped = HourHeader(24) + DayRow("2023-03-11", 1, 24, 24) + "2023-03-12,hub,25.5,26.5,";
  for (int i = 3; i < 24; ++i) skipped += fmt::format(",{}.5", 24 + i);
  ExpectCounts(Read(skipped + "\n" + DayRow("2023-03-13", 48, 24, 24), InChicago()), 71);
  std::string header = "Day,Node,HE 1,HE 2,HE 2X";
  std::string before = "2023-11-04,hub,1.5,2.5,";
  for (int hour = 3; hour <= 24; ++hour) {
    header += fmt::format(",HE {}", hour);
    before += fmt::format(",{}.5", hour);
  }
  ExpectCounts(Read(header + "\n" + before + "\n" + DayRow("2023-11-05", 25, 25, 25), InChicago()), 49);
}

TEST(AnyTableTest, ADayOfHoursMayHaveItsDateAndItsZoneAboveTheTable) {
  ReadOptions options;
  options.table.unit = "USD/MWh";
  options.table.where = {"Value=LMP"};
  std::string header = "Node,Value";
  for (int hour = 1; hour <= 24; ++hour) header += fmt::format(",HE {}", hour);
  std::string rows;
  for (const char* part : {"LMP", "MCC"}) {
    rows += fmt::format("hub,{}", part);
    for (int hour = 1; hour <= 24; ++hour) rows += fmt::format(",{}.5", hour);
    rows += "\n";
  }
  const std::string zone = ",,,All Hours-Ending are Eastern Standard Time (EST)\n";
  const auto table = Read("Ex post prices\n01/17/2023\n\n" + zone + header + "\n" + rows, options);
  ExpectCounts(table, 24);
  EXPECT_EQ(FormatInstant(Main(table).series.start()), "2023-01-17T05:00:00Z");
  EXPECT_THAT(table.notes, Contains(HasSubstr("all rows are of 01/17/2023, the date above the table")));
  EXPECT_THAT(ErrorOf("01/05/2023\n" + header + "\n" + rows, options), HasSubstr("set option 'date-order'"));
  EXPECT_THAT(ErrorOf(header + "\n" + rows, options), HasSubstr("no column of dates, and 0 dates above the table"));
  options.table.where.clear();
  EXPECT_THAT(ErrorOf("01/17/2023\n" + header + "\n" + rows, options),
              HasSubstr("has several rows for each day; choose one series with option 'where', such as 'Value=LMP'"));
}

TEST(AnyTableTest, AWrongCellAmongHoursIsToldByItsColumnAndLine) {
  std::string text = HourHeader(24) + DayRow("2023-06-01", 1, 24, 24) + DayRow("2023-06-02", 25, 24, 24);
  text.replace(text.find("27.5"), 4, "many");
  EXPECT_THAT(ErrorOf(text, InChicago()), HasSubstr("x.csv:3: column 'HE 3': 'many' is not a number"));
}

}  // namespace
}  // namespace heliostat::signal_files
