// Properties of every format, each tested with a small file of that format.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "heliostat/signals/signal_files/canonical.h"
#include "heliostat/signals/signal_files/read.h"

namespace heliostat::signal_files {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A file of a format: how row `i` with the value `value` is written.
struct Sample {
  std::string format;
  std::string file;
  std::string header;
  std::function<std::string(int i, const std::string& value)> row;
  std::string column;  // the column of the values
  std::string unit;
  Duration step;
  std::string start;  // the time of the first value
};

// "2023-06-01 05:00:00" for `hours` past the day's begin.
std::string Clock(int minutes, std::string_view between = " ") {
  return fmt::format("2023-06-{:02}{}{:02}:{:02}:00", 1 + minutes / 1440, between, minutes / 60 % 24, minutes % 60);
}

std::vector<Sample> Samples() {
  constexpr Duration kHour{3600};
  constexpr Duration kHalf{1800};
  constexpr Duration kFive{300};
  const std::string june = "2023-06-01T00:00:00Z";
  return {
      {"canonical", "a.csv", "time,carbon_g_per_kwh",
       [](int i, const std::string& v) { return Clock(i * 60, "T") + "Z," + v; }, "carbon_g_per_kwh", "gCO2e/kWh",
       kHour, june},
      {"carboncast", "CISO_direct_emissions.csv", ",UTC time,carbon_intensity,coal",
       [](int i, const std::string& v) { return fmt::format("{},{},{},7", i, Clock(i * 60), v); }, "carbon_intensity",
       "gCO2e/kWh", kHour, june},
      {"chase", "hist.csv", "location,timestamp,duration,value,hist",
       [](int i, const std::string& v) { return fmt::format("MISO,{},30,5,{}", Clock(i * 30), v); }, "hist",
       "gCO2e/kWh", kHalf, june},
      {"rts-gmlc", "REAL_TIME_pv.csv", "Year,Month,Day,Period,320_PV_1",
       [](int i, const std::string& v) { return fmt::format("2023,6,{},{},{}", 1 + i / 24, 1 + i % 24, v); },
       "320_PV_1", "MW", kHour, june},
      {"electricity-maps-export", "DE.csv",
       "Datetime (UTC),Zone id,Carbon intensity (direct),Carbon intensity (Life cycle),Renewable energy percentage",
       [](int i, const std::string& v) { return fmt::format("{},DE,{},9,50", Clock(i * 60), v); }, "carbon_direct",
       "gCO2e/kWh", kHour, june},
      {"neso", "gb.csv", "utc,actual,fc_4h,wind",
       [](int i, const std::string& v) { return fmt::format("{},{},8,30", Clock(i * 30), v); }, "actual", "gCO2e/kWh",
       kHalf, june},
      {"zone-table", "em_lca.csv", "utc,DE-LU,GB",
       [](int i, const std::string& v) { return fmt::format("{},3,{}", Clock(i * 60), v); }, "GB", "gCO2e/kWh", kHour,
       june},
      {"wholesale-price", "KR_2023.csv", "Datetime,Price (KRW/MWh)",
       [](int i, const std::string& v) { return Clock(i * 60) + "," + v; }, "price", "KRW/MWh", kHour,
       "2023-05-31T15:00:00Z"},
      {"solcast", "sun.csv", "datetime,Berlin,Rome",
       [](int i, const std::string& v) { return fmt::format("{},{},0.5", Clock(i * 5 + 5), v); }, "Berlin", "per unit",
       kFive, june},
      {"capacity-factor", "wind_2023.csv", ",Power",
       [](int i, const std::string& v) { return fmt::format("{},{}", i, v); }, "Power", "per unit", kHour,
       "2023-01-01T00:00:00Z"},
  };
}

constexpr int kRows = 30;

// A value that is plausible in the unit of the sample and has no exact binary form.
std::string ValueOf(const Sample& sample, int i) {
  const double scale = sample.unit == "per unit" ? 1.0 : sample.unit == "KRW/MWh" ? 1e5 : 1e2;
  return fmt::format("{}", (0.1 + 0.03 * i) * scale);
}

std::string TextOf(const Sample& sample, int rows = kRows, std::string_view newline = "\n") {
  std::string text = fmt::format("{}{}", sample.header, newline);
  for (int i = 0; i < rows; ++i) text += fmt::format("{}{}", sample.row(i, ValueOf(sample, i)), newline);
  return text;
}

// The sample with row `at` replaced by `line`.
std::string TextWith(const Sample& sample, int at, const std::string& line) {
  std::string text = sample.header + "\n";
  for (int i = 0; i < kRows; ++i) text += (i == at ? line : sample.row(i, ValueOf(sample, i))) + "\n";
  return text;
}

std::string ErrorOf(const std::string& text, const std::string& file, const ReadOptions& options = {}) {
  const auto table = ReadSignalText(text, file, options);
  return table ? "no error" : table.error().Line();
}

class EveryFormat : public ::testing::TestWithParam<Sample> {
 protected:
  const Sample& sample() const { return GetParam(); }
  SignalTable Read(const std::string& text, const ReadOptions& options = {}) const {
    auto table = ReadSignalText(text, sample().file, options);
    EXPECT_TRUE(table) << table.error().Line();
    return std::move(*table);
  }
};

TEST_P(EveryFormat, IsKnownByItsLooksAndReadsItsValues) {
  const auto table = Read(TextOf(sample()));
  EXPECT_EQ(table.format, sample().format);
  EXPECT_EQ(table.rows, static_cast<std::size_t>(kRows));
  EXPECT_EQ(table.absent + table.dropped, 0U);
  const auto column = table.Find(sample().column);
  ASSERT_TRUE(column) << column.error().Line();
  const signal::Signal& read = (*column)->signal;
  EXPECT_EQ(UnitText(read.meaning), sample().unit);
  EXPECT_EQ(read.series.step(), sample().step);
  EXPECT_EQ(FormatInstant(read.series.start()), sample().start);
  ASSERT_EQ(read.series.size(), static_cast<std::size_t>(kRows));
  for (int i = 0; i < kRows; ++i)
    EXPECT_EQ(read.series.values()[static_cast<std::size_t>(i)], std::stod(ValueOf(sample(), i)));
}

TEST_P(EveryFormat, ColumnsShareOneClock) {
  const auto table = Read(TextOf(sample()));
  for (const SignalColumn& column : table.columns) {
    EXPECT_EQ(column.signal.series.span(), table.columns[0].signal.series.span());
    EXPECT_EQ(column.signal.series.step(), sample().step);
    EXPECT_EQ(column.cells.count + column.cells.missing, static_cast<std::size_t>(kRows));
  }
}

TEST_P(EveryFormat, SurvivesTheCanonicalWriterInCanonicalUnits) {
  const auto table = Read(TextWith(sample(), 11, sample().row(11, "")));
  for (const SignalColumn& column : table.columns) {
    const auto text = WriteCanonical(std::vector{column.signal});
    ASSERT_TRUE(text) << text.error().Line();
    ReadOptions options;  // a canonical name has no currency
    if (column.signal.meaning.currency) options.currency = column.signal.meaning.currency->code();
    const auto again = ReadSignalText(*text, "again.csv", options);
    ASSERT_TRUE(again) << again.error().Line();
    const signal::Signal& written = again->columns[0].signal;
    const double factor = ToCanonical(column.signal.meaning.kind, column.signal.meaning.unit).factor;
    EXPECT_EQ(written.meaning.kind, column.signal.meaning.kind);
    EXPECT_EQ(written.series.span(), column.signal.series.span());
    ASSERT_EQ(written.series.size(), column.signal.series.size());
    for (std::size_t i = 0; i < written.series.size(); ++i) {
      const double before = column.signal.series.values()[i];
      const double after = written.series.values()[i];
      EXPECT_EQ(signal::IsMissing(before), signal::IsMissing(after));
      if (!signal::IsMissing(before)) EXPECT_EQ(after, before * factor);
    }
    // A second conversion changes nothing.
    EXPECT_EQ(*WriteCanonical(std::vector{written}), *text);
  }
}

TEST_P(EveryFormat, AnEmptyCellIsMissingAndNothingElseIs) {
  const auto table = Read(TextWith(sample(), 5, sample().row(5, "")));
  const SignalColumn& column = **table.Find(sample().column);
  EXPECT_EQ(column.cells.missing, 1U);
  for (std::size_t i = 0; i < static_cast<std::size_t>(kRows); ++i) {
    EXPECT_EQ(signal::IsMissing(column.signal.series.values()[i]), i == 5);
  }
}

TEST_P(EveryFormat, ACellThatIsNoNumberIsNamedWithItsLineAndColumn) {
  for (const std::string bad : {"n/a", "nan", "inf", "0x10", "1 2", "--", "1e999"}) {
    EXPECT_THAT(
        ErrorOf(TextWith(sample(), 7, sample().row(7, bad)), sample().file),
        StartsWith(fmt::format("{}:9: column '{}': '{}' is not a number", sample().file, sample().column, bad)));
  }
}

TEST_P(EveryFormat, ARowThatStandsTwiceIsRefusedWithItsLine) {
  EXPECT_THAT(ErrorOf(TextWith(sample(), 9, sample().row(8, "0.5")), sample().file),
              StartsWith(sample().file + ":11: "));
}

TEST_P(EveryFormat, ARowOutOfOrderIsRefusedWithItsLine) {
  EXPECT_THAT(ErrorOf(TextWith(sample(), 9, sample().row(2, "0.5")), sample().file),
              StartsWith(sample().file + ":11: "));
}

TEST_P(EveryFormat, ARowOfTooFewOrTooManyCellsIsRefusedWithItsLine) {
  const std::string row = sample().row(9, "0.5");
  EXPECT_THAT(ErrorOf(TextWith(sample(), 9, row.substr(0, row.rfind(','))), sample().file),
              StartsWith(sample().file + ":11: row has "));
  EXPECT_THAT(ErrorOf(TextWith(sample(), 9, row + ",1"), sample().file), StartsWith(sample().file + ":11: row has "));
}

TEST_P(EveryFormat, LineEndingsChangeNothing) {
  const auto plain = Read(TextOf(sample()));
  const auto windows = Read(TextOf(sample(), kRows, "\r\n"));
  EXPECT_EQ(windows.rows, plain.rows);
  EXPECT_EQ((*windows.Find(sample().column))->signal.series.values(),
            (*plain.Find(sample().column))->signal.series.values());
}

TEST_P(EveryFormat, AFileCutOffIsReadAndNoted) {
  std::string text = TextOf(sample());
  text.pop_back();
  const auto table = Read(text);
  EXPECT_EQ(table.rows, static_cast<std::size_t>(kRows));
  EXPECT_THAT(table.notes, ::testing::Contains(HasSubstr("the last line has no newline")));
}

TEST_P(EveryFormat, IsReadUnderItsNameAndNoOther) {
  for (const FormatFacts& facts : KnownFormats()) {
    ReadOptions options;
    options.format = std::string(facts.name);
    const auto table = ReadSignalText(TextOf(sample()), sample().file, options);
    if (facts.name == sample().format) {
      ASSERT_TRUE(table) << table.error().Line();
      EXPECT_EQ(table->format, sample().format);
    } else if (table) {
      // A file can match two formats; the requested reader must answer.
      EXPECT_EQ(table->format, facts.name);
    } else {
      EXPECT_THAT(table.error().Line(), HasSubstr(sample().file));
    }
  }
}

TEST_P(EveryFormat, AHeaderAloneIsRefused) {
  EXPECT_THAT(ErrorOf(sample().header + "\n", sample().file), StartsWith(sample().file));
}

TEST_P(EveryFormat, AColumnNamedTwiceIsRefusedAtTheHeader) {
  const std::string last = sample().header.substr(sample().header.rfind(',') + 1);
  EXPECT_EQ(ErrorOf(sample().header + "," + last + "\n", sample().file),
            fmt::format("{}:1: two columns have the name '{}'; names must differ", sample().file, last));
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, ::testing::ValuesIn(Samples()), [](const auto& test) {
  std::string name = test.param.format;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(KnownFormatsTest, HaveNamesOfTheirOwnAndAllSeriesAreTriedHere) {
  std::vector<std::string_view> names;
  for (const FormatFacts& facts : KnownFormats()) {
    EXPECT_FALSE(facts.description.empty());
    EXPECT_EQ(std::ranges::count(names, facts.name), 0) << facts.name;
    names.push_back(facts.name);
  }
  // The rest are repeated forecasts, tariffs and other tables, which have other tests.
  for (const Sample& sample : Samples()) EXPECT_THAT(names, ::testing::Contains(sample.format));
  EXPECT_EQ(names.size(), Samples().size() + 6);
}

}  // namespace
}  // namespace heliostat::signal_files
