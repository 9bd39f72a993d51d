#include "heliostat/base/core/error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

bool IsHarmless(std::string_view line) {
  for (const char c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return true;
}

RC_GTEST_PROP(PrintableLaws, PlainTextStaysAsItIs, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::inRange<char>(0x20, 0x7f));
  RC_ASSERT(Printable(text, text.size()) == text);
}

RC_GTEST_PROP(PrintableLaws, NothingStrangeIsLeftAfterOnePass, (const std::string& text)) {
  const std::string once = Printable(text, 10000);
  RC_ASSERT(IsHarmless(once));
  RC_ASSERT(Printable(once, 100000) == once);
}

RC_GTEST_PROP(PrintableLaws, IsNeverMuchLongerThanItsLimit, (const std::string& text)) {
  const auto limit = *rc::gen::inRange<std::size_t>(0, 50);
  RC_ASSERT(Printable(text, limit).size() < limit + 4 + std::string_view("…").size());
}

TEST(PrintableTest, WhatIsCutSaysSo) {
  EXPECT_EQ(Printable("abcdef", 6), "abcdef");
  EXPECT_EQ(Printable("abcdef", 5), "abcde…");
  EXPECT_EQ(Printable("", 0), "");
  EXPECT_EQ(Printable("aü", 2), "aü");  // never cuts inside a character
}

TEST(PrintableTest, LettersOfEveryLengthPass) {
  for (const char* letters : {"é", "ß", "€", "日本", "😀", "\u00a0", "\uffff", "\U0010ffff", "\ud7ff", "\ue000"}) {
    EXPECT_EQ(Printable(letters), letters);
  }
}

// Unicode's table of well-formed sequences: overlong forms can encode ESC; halves of surrogate pairs encode nothing.
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

TEST(PrintableTest, ControlsOfBothSetsAreEscaped) {
  for (int c = 0; c < 0x20; ++c) {
    EXPECT_EQ(Printable(std::string(1, static_cast<char>(c))), fmt::format("\\x{:02x}", c));
  }
  EXPECT_EQ(Printable("\x7f"), "\\x7f");
  for (int c = 0x80; c < 0xa0; ++c) {
    EXPECT_EQ(Printable(std::string("\xc2") + static_cast<char>(c)), fmt::format("\\xc2\\x{:02x}", c));
  }
}

RC_GTEST_PROP(ErrorLaws, AnErrorIsOneLine, (const std::string& where, const std::string& what)) {
  const Error error{ErrorCode::kCorrupt, where, what, what};
  RC_ASSERT(IsHarmless(error.Line()));
  RC_ASSERT(error.Line().find(Printable(what, 600)) != std::string::npos);
}

TEST(ErrorTest, OnlyTransientAndInternalFailuresExitWithOne) {
  for (const ErrorCode code : {ErrorCode::kInvalidArgument, ErrorCode::kNotFound, ErrorCode::kPermissionDenied,
                               ErrorCode::kUnsupported, ErrorCode::kCorrupt}) {
    EXPECT_EQ(ExitStatus(code), 2);
  }
  EXPECT_EQ(ExitStatus(ErrorCode::kInternal), 1);
}

TEST(ErrorTest, PassedOnItStaysTheSameError) {
  const Result<int> number = Fail(ErrorCode::kNotFound, "here", "is nothing", "something");
  const Result<std::string> text = Propagate(number);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(text.error().Line(), "here: is nothing; something");
}

}  // namespace
}  // namespace heliostat
