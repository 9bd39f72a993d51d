#include "heliostat/core/error.h"

#include <gtest/gtest.h>

namespace heliostat {
namespace {

TEST(ErrorTest, ReadsAsWhereWhatAllowed) {
  const Error error{ErrorCode::kInvalidArgument, "jobs.csv:17", "deadline is before submit", "must be later"};
  EXPECT_EQ(error.Line(), "jobs.csv:17: deadline is before submit; must be later");
  EXPECT_EQ((Error{ErrorCode::kInternal, "", "disk full", ""}.Line()), "disk full");
}

TEST(ErrorTest, StaysOneHarmlessLineWhateverTheInputHeld) {
  const Error error{ErrorCode::kInvalidArgument, "f\nile", "bad \x1b[31m cell \xff\xc2\x9b Grün",
                    std::string(5000, 'x')};
  const std::string line = error.Line();
  for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
  EXPECT_NE(line.find("\\x1b[31m"), std::string::npos);
  EXPECT_NE(line.find("\\xff\\xc2\\x9b Grün"), std::string::npos);
  EXPECT_LT(line.size(), 2000U);
}

TEST(ErrorTest, ExitStatusFollowsTheContract) {
  EXPECT_EQ(ExitStatus(ErrorCode::kInvalidArgument), 2);
  EXPECT_EQ(ExitStatus(ErrorCode::kInfeasible), 3);
  EXPECT_EQ(ExitStatus(ErrorCode::kUnavailable), 1);
}

// Unicode's table of well-formed sequences: overlong forms can spell ESC, and halves of surrogates spell nothing.
TEST(PrintableTest, IllFormedSequencesAreEscapedByteByByte) {
  EXPECT_EQ(Printable("\xc0\x9b"), "\\xc0\\x9b");                    // overlong ESC in two bytes
  EXPECT_EQ(Printable("\xe0\x80\x9b"), "\\xe0\\x80\\x9b");           // in three
  EXPECT_EQ(Printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");           // overlong CSI
  EXPECT_EQ(Printable("\xf0\x80\x80\x9b"), "\\xf0\\x80\\x80\\x9b");  // ESC in four
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half a surrogate pair
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(Printable("\xe2\x82"), "\\xe2\\x82");                    // cut short
  EXPECT_EQ(Printable("\x80"
                      "a"),
            "\\x80a");
}

}  // namespace
}  // namespace heliostat
