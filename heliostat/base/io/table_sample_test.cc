#include "heliostat/base/io/table_sample.h"

#include <gtest/gtest.h>

#include <array>

namespace heliostat::io {
namespace {

TEST(TableSampleTest, FindsTheDelimiterOfRowsThatAreAlike) {
  const std::pair<std::string_view, char> tables[] = {
      {"a,b\n1,2\n", ','},
      {"a;b\n1,5;2,5\n3,5;4,5\n", ';'},
      {"1,5;2,5\n3,5;4,5\n", ';'},
      {"a\tb\n1,5\t2\n", '\t'},
      {"JobID|ReqTRES\n1|cpu=8,gres/gpu=4\n2|cpu=8,gres/gpu=4\n", '|'},
      {"id,features,gpus\n1,fast;large,2\n2,slow;large,4\n", ','},
      {"id,why,gpus\n1,\"a;b;c\",2\n2,\"a|b\",4\n", ','},
      {"\xEF\xBB\xBF\"a\";\"b\"\r\n\"1,5\";2\r\n", ';'},
      {"Prices in EUR/MWh\nUpdated, then; checked\na;b;c\n1;2;3\n1;2;3\n1;2;3\n1;2;3\n1;2;3\n", ';'},
      {"one\n1\n2\n", ','},
      {"", ','},
  };
  for (const auto& [text, delimiter] : tables) EXPECT_EQ(FindDelimiter(text).delimiter, delimiter) << text;
}

TEST(TableSampleTest, ABrokenRowDoesNotHideTheDelimiter) {
  EXPECT_EQ(FindDelimiter("a;b\n1;2\n1;\"2\n").delimiter, ';');
  EXPECT_EQ(FindDelimiter("a,b\n1,2\n1,\"2\n").delimiter, ',');
}

TEST(TableSampleTest, TakesDelimitersByNameAndByCharacter) {
  EXPECT_EQ(*ParseDelimiter("tab"), '\t');
  EXPECT_EQ(*ParseDelimiter(";"), ';');
  EXPECT_EQ(DelimiterName('|'), "pipe");
  EXPECT_FALSE(ParseDelimiter("dot"));
}

std::string MarkOf(std::string_view text, std::size_t column) {
  const auto mark = FindDecimal(FindDelimiter(text), std::array{column}, "t.csv", "decimal");
  if (!mark) return mark.error().Line();
  return *mark == DecimalMark::kComma ? "comma" : "point";
}

TEST(TableSampleTest, OnlyTheColumnsThatCountTellTheDecimalMark) {
  EXPECT_EQ(MarkOf("ids;watts\n0.5;12,5\n0.5;1.234\n", 1), "comma");
  EXPECT_EQ(MarkOf("ids,watts\n\"0,1\",12.5\n\"2,3\",13\n", 1), "point");
  EXPECT_EQ(MarkOf("a,b\n1.234,1\n", 0), "point");
  EXPECT_EQ(MarkOf("a,b\n7,8\n", 5), "point");
}

TEST(TableSampleTest, RefusesNumbersWithTwoReadings) {
  const std::string refused =
      "t.csv: its numbers can be read with a decimal point or a decimal comma; set option 'decimal' to point or comma";
  EXPECT_EQ(MarkOf("a;b\n1,234;1\n2,345;1\n", 0), refused);
  EXPECT_EQ(MarkOf("a;b\n1.234;1\n", 0), refused);
  EXPECT_EQ(MarkOf("a;b\n1.5;1\n1,5;1\n", 0), refused);
}

}  // namespace
}  // namespace heliostat::io
