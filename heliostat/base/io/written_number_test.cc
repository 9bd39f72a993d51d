#include "heliostat/base/io/written_number.h"

#include <gtest/gtest.h>

namespace heliostat::io {
namespace {

TEST(WrittenNumberTest, ReadsNumbersOfBothMarks) {
  EXPECT_EQ(ParseWrittenNumber("1.234,56", DecimalMark::kComma), 1234.56);
  EXPECT_EQ(ParseWrittenNumber("1 234,56", DecimalMark::kComma), 1234.56);
  EXPECT_EQ(ParseWrittenNumber("1\xC2\xA0"
                               "234,5",
                               DecimalMark::kComma),
            1234.5);
  EXPECT_EQ(ParseWrittenNumber("-0,5", DecimalMark::kComma), -0.5);
  EXPECT_EQ(ParseWrittenNumber("1,234.5", DecimalMark::kPoint), 1234.5);
  EXPECT_EQ(ParseWrittenNumber("1'234.5", DecimalMark::kPoint), 1234.5);
  EXPECT_EQ(ParseWrittenNumber("1e3", DecimalMark::kPoint), 1000);
  EXPECT_EQ(ParseWrittenNumber("12,34,56", DecimalMark::kPoint), std::nullopt);
  EXPECT_EQ(ParseWrittenNumber("12.5", DecimalMark::kComma), std::nullopt);
  EXPECT_EQ(ParseWrittenNumber("1,2,3", DecimalMark::kComma), std::nullopt);
  EXPECT_EQ(ParseWrittenNumber("abc", DecimalMark::kComma), std::nullopt);
  EXPECT_EQ(ParseWrittenNumber("nan", DecimalMark::kComma), std::nullopt);
}

DecimalMark MarkOf(std::initializer_list<std::string_view> cells, char delimiter = ';') {
  DecimalEvidence evidence;
  for (const std::string_view cell : cells) evidence.Add(cell);
  return evidence.Decide(delimiter);
}

TEST(WrittenNumberTest, ATableTellsItsDecimalMarkOrItIsNotGuessed) {
  EXPECT_EQ(MarkOf({"12,5", "1.234"}), DecimalMark::kComma);
  EXPECT_EQ(MarkOf({"12.5", "1,234"}), DecimalMark::kPoint);
  EXPECT_EQ(MarkOf({"0,123"}), DecimalMark::kComma);
  EXPECT_EQ(MarkOf({"1.234,5"}), DecimalMark::kComma);
  EXPECT_EQ(MarkOf({"7", "8"}), DecimalMark::kPoint);
  EXPECT_EQ(MarkOf({"1,234", "2,345"}), DecimalMark::kUnknown);
  EXPECT_EQ(MarkOf({"1.234"}), DecimalMark::kUnknown);
  EXPECT_EQ(MarkOf({"1.234"}, ','), DecimalMark::kPoint);
  EXPECT_EQ(MarkOf({"1,234"}, ','), DecimalMark::kUnknown);
  EXPECT_EQ(MarkOf({"12,5", "12.5"}), DecimalMark::kUnknown);
}

TEST(WrittenNumberTest, MarksOfMissingValues) {
  for (const std::string_view mark : {"", " ", "-", "n/a", "N/A", "NaN", "null", "n/e"})
    EXPECT_TRUE(IsMissingMark(mark));
  EXPECT_FALSE(IsMissingMark("0"));
  EXPECT_FALSE(IsMissingMark("-5"));
}

}  // namespace
}  // namespace heliostat::io
