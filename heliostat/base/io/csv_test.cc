#include "heliostat/base/io/csv.h"

#include <gtest/gtest.h>

#include "heliostat/base/core/random.h"

namespace heliostat::io {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Result<Rows> ReadAll(std::string_view text, CsvDialect dialect = {}) {
  CsvReader csv(text, "t.csv", dialect);
  Rows rows;
  while (csv.NextRow()) rows.push_back(csv.texts());
  if (!csv.status()) return Propagate(csv.status());
  return rows;
}

TEST(CsvReaderTest, SplitsRowsAndCells) {
  EXPECT_EQ(*ReadAll("a,b\n1,2\n3,4\n"), (Rows{{"a", "b"}, {"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(*ReadAll("\xEF\xBB\xBF"
                     "a,b\r\n1,\r\n\r\n,4"),
            (Rows{{"a", "b"}, {"1", ""}, {"", "4"}}));
  EXPECT_EQ(*ReadAll("a,b\n1,"), (Rows{{"a", "b"}, {"1", ""}}));
  EXPECT_EQ(*ReadAll("a\n1\n"), (Rows{{"a"}, {"1"}}));
  EXPECT_EQ(*ReadAll(""), Rows{});
  EXPECT_EQ(*ReadAll("\n\n"), Rows{});
}

TEST(CsvReaderTest, UnderstandsQuotes) {
  EXPECT_EQ(*ReadAll("a,b\n\"x, y\",\"he said \"\"hi\"\"\"\n"), (Rows{{"a", "b"}, {"x, y", "he said \"hi\""}}));
  EXPECT_EQ(*ReadAll("\"a\nb\",c\r\n1,\"2\"\r\n"), (Rows{{"a\nb", "c"}, {"1", "2"}}));
  EXPECT_EQ(*ReadAll("a,b\n\"1\","), (Rows{{"a", "b"}, {"1", ""}}));
}

TEST(CsvReaderTest, SplitsAtOtherDelimiters) {
  for (const char delimiter : {';', '\t', '|'}) {
    std::string text = "a;b\n1,5;\"x;y\"\n2,5;z\n" + std::string(70, 'p') + ";q\n3;4\n";
    for (char& c : text) c = c == ';' ? delimiter : c;
    const std::string quoted = std::string("x") + delimiter + "y";
    EXPECT_EQ(*ReadAll(text, {.delimiter = delimiter}),
              (Rows{{"a", "b"}, {"1,5", quoted}, {"2,5", "z"}, {std::string(70, 'p'), "q"}, {"3", "4"}}));
  }
}

TEST(CsvReaderTest, ARaggedTableMayHaveRowsOfAnyLength) {
  EXPECT_EQ(*ReadAll("title\n\na,b\n1, \"2\"\n3,4,\n", {.is_ragged = true}),
            (Rows{{"title"}, {"a", "b"}, {"1", "2"}, {"3", "4", ""}}));
}

TEST(CsvReaderTest, CountsLinesAcrossBlanksAndQuotedNewlines) {
  CsvReader csv("a,b\n\n\"x\ny\",1\n2,3\n", "t.csv");
  ASSERT_TRUE(csv.NextRow());
  ASSERT_TRUE(csv.NextRow());
  EXPECT_EQ(csv.line(), 3);
  ASSERT_TRUE(csv.NextRow());
  EXPECT_EQ(csv.where(), "t.csv:5");
  EXPECT_FALSE(csv.NextRow());
}

TEST(CsvReaderTest, SaysWhereATableIsBroken) {
  EXPECT_EQ(ReadAll("a,b\n1,2\n3\n").error().Line(),
            "t.csv:3: row has 1 cell; the header has 2: the file may be truncated here");
  EXPECT_NE(ReadAll("a,b\n\"1,2\n").error().Line().find("t.csv:2: a quote is not closed"), std::string::npos);
  EXPECT_NE(ReadAll(std::string_view("a,b\n1,\0\n", 8)).error().Line().find("t.csv:2: holds a NUL"), std::string::npos);
  EXPECT_FALSE(ReadAll("a,b\n1,x\"y\n"));
  EXPECT_FALSE(ReadAll("a,b\n\"1\"x,2\n"));
  EXPECT_NE(ReadAll("a\n" + std::string(1 << 20, 'x') + "\n").error().Line().find("t.csv:2: line is too long"),
            std::string::npos);
}

// Reading returns what was written, for any cells and any position of the block boundaries.
TEST(CsvReaderTest, ReadsBackAnyTable) {
  RandomStream random(1);
  constexpr std::string_view kLetters = "ab,\"\n\r1.x";
  for (int round = 0; round < 2000; ++round) {
    const std::size_t width = 1 + random.Below(5);
    Rows rows(1 + random.Below(6), std::vector<std::string>(width));
    std::string text;
    for (auto& row : rows) {
      for (std::size_t i = 0; i < width; ++i) {
        for (std::uint64_t n = random.Below(30); n > 0; --n) row[i] += kLetters[random.Below(kLetters.size())];
        if (width == 1 && row[i].empty()) row[i] = "x";
        text += i == 0 ? "\"" : ",\"";
        for (const char c : row[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
        text += '"';
      }
      text += random.Chance(0.5) ? "\n" : "\r\n";
    }
    const auto read = ReadAll(text);
    ASSERT_TRUE(read) << read.error().Line() << "\n" << text;
    ASSERT_EQ(*read, rows) << text;
  }
}

}  // namespace
}  // namespace heliostat::io
