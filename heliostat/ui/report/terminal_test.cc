#include "heliostat/ui/report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

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

TEST(TextOfTest, ColumnsLineUpWhateverTheirCharacters) {
  const HtmlTable table{.header = {"name", "temp"}, .rows = {{"a", "60 °C"}, {"longer", "–"}}, .text_columns = 1};
  EXPECT_EQ(TextOf(table), "name     temp\na       60 °C\nlonger      –\n");
}

}  // namespace
}  // namespace heliostat::report
