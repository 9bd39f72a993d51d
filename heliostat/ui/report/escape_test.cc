#include "heliostat/ui/report/escape.h"

#include <gtest/gtest.h>

#include "heliostat/ui/report/xml_check.h"

namespace heliostat::report {
namespace {

TEST(EscapeTest, MarkupBecomesText) {
  EXPECT_EQ(Escape("<script>alert(\"a\" & 'b')</script>"),
            "&lt;script&gt;alert(&quot;a&quot; &amp; &#39;b&#39;)&lt;/script&gt;");
}

TEST(EscapeTest, OtherTextStaysAsItIs) { EXPECT_EQ(Escape("Zürich ≤ 3 €\t🙂\n"), "Zürich ≤ 3 €\t🙂\n"); }

TEST(EscapeTest, WhatNoDocumentMayHoldIsReplaced) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(Escape(std::string_view("a\0b\x1b[31m", 8)), "a" + mark + "b" + mark + "[31m");
  EXPECT_EQ(Escape("\xff"), mark);
  EXPECT_EQ(Escape("\xc3"), mark) << "cut short";
  EXPECT_EQ(Escape("\xc0\xbc"), mark + mark) << "overlong <";
  EXPECT_EQ(Escape("\xed\xa0\x80"), mark + mark + mark) << "surrogate";
  EXPECT_EQ(Escape("\xef\xbf\xbf"), mark + mark + mark) << "U+FFFF";
  EXPECT_EQ(Escape("\xf4\x90\x80\x80"), mark + mark + mark + mark) << "beyond U+10FFFF";
}

TEST(EscapeTest, NumbersHaveAMinusSignARangeAndADash) {
  EXPECT_EQ(EscapeNumbers("-5.7 % (-6 .. -5)"), "−5.7 % (−6 to −5)");
  EXPECT_EQ(EscapeNumbers("-"), "–");
  for (const char* plain : {"2023-04-10", "ca-rm", "--eta", "a - b", "../x", "3..5"})
    EXPECT_EQ(EscapeNumbers(plain), plain);
}

TEST(EscapeTest, ProseHasCodeBetweenBackticks) {
  EXPECT_EQ(EscapeProse("See `a -1 <b>` and -2."), "See <code>a -1 &lt;b&gt;</code> and −2.");
  EXPECT_EQ(EscapeProse("one ` alone"), "one ` alone");
}

TEST(XmlCheckTest, SeesWhatIsWrong) {
  EXPECT_EQ(XmlCheck::Problem("<a b=\"1\"><c/>x &lt; y</a>"), "");
  for (const char* wrong : {"", "x", "<a>", "<a></b>", "<a b=1/>", "<a b=\"<\"/>", "<a>&nbsp;</a>", "<a/><b/>",
                            "<a b=\"1\" b=\"2\"/>", "<a>x & y</a>", "<a b=\"1/>"}) {
    EXPECT_NE(XmlCheck::Problem(wrong), "") << wrong;
  }
}

}  // namespace
}  // namespace heliostat::report
