#include "heliostat/ui/report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "heliostat/base/core/random.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::report {
namespace {

using signal::Missing;
using ::testing::HasSubstr;

TEST(SparklineTest, RisesFromLowToHigh) {
  const std::vector<double> values{0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(*Sparkline(values, 80, true), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(*Sparkline(values, 80, false), "_.-=+*#@");
}

TEST(SparklineTest, IsBlankWhereNothingIsKnown) {
  EXPECT_EQ(*Sparkline(std::vector<double>{0, Missing(), 1}, 80, true), "▁ █");
}

TEST(SparklineTest, ShowsMeansWhenThereAreMoreValuesThanColumns) {
  const std::vector<double> values{0, 0, Missing(), Missing(), 3, 5, 8, Missing()};
  EXPECT_EQ(*Sparkline(values, 4, false), "_ =@");
}

TEST(SparklineTest, AConstantAndOneValueAreOfMiddleHeight) {
  EXPECT_EQ(*Sparkline(std::vector<double>{5, 5}, 80, false), "==");
  EXPECT_EQ(*Sparkline(std::vector<double>{5}, 80, true), "▄");
}

TEST(SparklineTest, NothingIsAnError) {
  EXPECT_FALSE(Sparkline({}, 80, true));
  EXPECT_FALSE(Sparkline(std::vector<double>{Missing()}, 80, true));
  EXPECT_FALSE(Sparkline(std::vector<double>{1}, 0, true));
  EXPECT_FALSE(LabelledSparkline("x", {}, "kW", {}));
}

TEST(SparklineTest, LabelsShowTheRangeAndKeepTheWidth) {
  std::vector<double> values(500, 100.0);
  values[7] = -20;
  const auto line = *LabelledSparkline("price", values, "EUR/MWh", {.width = 70, .is_utf8 = false});
  EXPECT_LE(line.size(), 70U);
  EXPECT_TRUE(line.starts_with("price     "));
  EXPECT_THAT(line, HasSubstr("  -20 .. 100 EUR/MWh"));
}

TEST(SparklineTest, BothEndsOfTheRangeHaveTheSameDecimals) {
  const std::vector<double> values{-3e-6, 0.0392};
  EXPECT_THAT(*LabelledSparkline("p", values, "u", {}), HasSubstr("-0.0000 .. 0.0392 u"));
}

TEST(LocaleTest, TheFirstSettingThatIsThereDecides) {
  const auto is_utf8 = [](const std::map<std::string, std::string>& settings) {
    return IsUtf8Locale([&](const std::string& name) {
      const auto found = settings.find(name);
      return found == settings.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_TRUE(is_utf8({{"LANG", "en_GB.UTF-8"}}));
  EXPECT_TRUE(is_utf8({{"LC_ALL", ""}, {"LC_CTYPE", ""}, {"LANG", "C.utf8"}}));
  EXPECT_FALSE(is_utf8({{"LC_ALL", "C"}, {"LANG", "en_GB.UTF-8"}}));
  EXPECT_TRUE(is_utf8({{"LC_CTYPE", "de_DE.UTF-8"}, {"LANG", "C"}}));
  EXPECT_FALSE(is_utf8({{"LANG", "en_US.ISO-8859-1"}}));
  EXPECT_FALSE(is_utf8({}));
}

std::size_t WidestLine(const std::string& text) {
  std::size_t widest = 0;
  std::size_t width = 0;
  for (const char c : text) {
    width = c == '\n' ? 0 : width + ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U ? 0 : 1);
    widest = std::max(widest, width);
  }
  return widest;
}

std::optional<std::size_t> WidthWith(const std::optional<std::string>& columns) {
  constexpr int kNoTerminal = -1;
  return KnownWidth([&](const std::string& name) { return name == "COLUMNS" ? columns : std::nullopt; }, kNoTerminal);
}

TEST(WidthTest, ColumnsGivesItAndNonsenseDoesNot) {
  EXPECT_EQ(WidthWith("60"), 60U);
  for (const char* nonsense : {"", "0", "-3", "6x", "wide", "99999999999999999999"}) {
    EXPECT_EQ(WidthWith(nonsense), std::nullopt) << nonsense;
  }
  EXPECT_EQ(WidthWith(std::nullopt), std::nullopt);
}

TEST(TextOfTest, ColumnsLineUpWhateverTheirCharacters) {
  const HtmlTable table{.header = {"name", "temp"}, .rows = {{"a", "60 °C"}, {"longer", "–"}}, .text_columns = 1};
  EXPECT_EQ(TextOf(table, 80), "name     temp\na       60 °C\nlonger      –\n");
}

TEST(TextOfTest, ColoursTakeNoRoom) {
  const HtmlTable table{.header = {"name", "kg"}, .rows = {{"a", "\x1b[1;32m5\x1b[0m"}}, .text_columns = 1};
  EXPECT_EQ(TextOf(table, 80), "name  kg\na      \x1b[1;32m5\x1b[0m\n");
}

TEST(TextOfTest, LongTextIsWrappedToFit) {
  const HtmlTable table{.header = {"job", "why", "kg"},
                        .rows = {{"a", "the grid is at its dirtiest of the whole week", "12"}},
                        .text_columns = 2};
  EXPECT_EQ(TextOf(table, 40),
            "job  why                              kg\n"
            "a    the grid is at its dirtiest of   12\n"
            "     the whole week\n");
}

TEST(TextOfTest, ColumnsThatDoNotFitFollowBelow) {
  const HtmlTable table{.header = {"policy", "carbon kg", "energy kWh", "late jobs"},
                        .rows = {{"run-now", "100", "200", "3"}, {"edf", "90", "190", "0"}},
                        .text_columns = 1};
  EXPECT_EQ(TextOf(table, 32),
            "policy   carbon kg  energy kWh\n"
            "run-now        100         200\n"
            "edf             90         190\n"
            "\n"
            "policy   late jobs\n"
            "run-now          3\n"
            "edf              0\n");
}

RC_GTEST_PROP(TextOfLaw, EveryCellIsThereWithinTheWidth, (std::uint64_t seed)) {
  RandomStream random(seed);
  HtmlTable table;
  const std::size_t columns = 1 + random.Below(14);
  table.text_columns = random.Below(columns + 1);
  std::size_t made = 0;
  const auto row = [&] {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < columns; ++c) {
      std::string cell;
      const std::size_t words = c < table.text_columns ? 1 + random.Below(9) : 1;
      for (std::size_t w = 0; w < words; ++w) cell += (w == 0 ? "w" : " w") + std::to_string(++made);
      cells.push_back(std::move(cell));
    }
    return cells;
  };
  table.header = row();
  for (std::size_t r = random.Below(4); r > 0; --r) table.rows.push_back(row());
  const std::size_t width = 60 + random.Below(60);
  const std::string text = TextOf(table, width);
  RC_ASSERT(WidestLine(text) <= width);
  for (std::size_t word = 1; word <= made; ++word) {
    const auto found = text.find("w" + std::to_string(word));
    RC_ASSERT(found != std::string::npos);
  }
}

TEST(WrappedTest, LinesBreakBetweenWordsBehindTheirLabel) {
  EXPECT_EQ(Wrapped("short\nnodes        a: on average 3 of 4 on\n", 26),
            "short\nnodes        a: on average\n             3 of 4 on\n");
  EXPECT_EQ(Wrapped("  one two three", 12), "  one two\n  three");
  EXPECT_EQ(Wrapped("/a/path/that/is/longer/than/the/line\n", 10), "/a/path/that/is/longer/than/the/line\n");
}

}  // namespace
}  // namespace heliostat::report
