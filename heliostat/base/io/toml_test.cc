#include "heliostat/base/io/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace heliostat::io {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Toml Parsed(std::string_view text) {
  const auto document = Toml::Parse(text, "a.toml");
  EXPECT_TRUE(document.has_value()) << (document ? "" : document.error().Line());
  return document.value_or(Toml());
}

template <typename T>
std::string LineOf(const Result<T>& result) {
  return result ? "no error" : result.error().Line();
}

TEST(TomlTest, ValuesAreWhatTheyAreWrittenAs) {
  const Toml document = Parsed("n = 3\nx = 1.5\ns = 'a'\n[t]\nk = 7\n[[g]]\nk = 1\n[[g]]\nk = 2\n");
  EXPECT_EQ(*document.Find("n")->Integer(), 3);
  EXPECT_EQ(*document.Find("n")->Number(), 3.0);
  EXPECT_EQ(*document.Find("x")->Number(), 1.5);
  EXPECT_EQ(*document.Find("s")->Text(), "a");
  EXPECT_EQ(*document.Find("t")->Find("k")->Integer(), 7);
  const auto groups = document.Find("g")->Elements();
  ASSERT_EQ((*groups)->size(), 2U);
  EXPECT_EQ(*(**groups)[1].Find("k")->Integer(), 2);
  EXPECT_EQ(document.Find("none"), nullptr);
}

TEST(TomlTest, TimesAreUtcWhateverTheyAreWrittenIn) {
  const Toml document = Parsed(
      "a = 2023-06-05T02:00:00+02:00\nb = 2023-06-05T00:00:00\nc = '2023-06-05T00:00Z'\nk = 2023-06-05\n"
      "e = 2023-06-05T00:00:00.5Z\nf = 12:00:00\n");
  for (const auto* key : {"a", "b", "c", "k"}) {
    const auto time = document.Find(key)->Time();
    ASSERT_TRUE(time.has_value()) << key;
    EXPECT_EQ(FormatInstant(*time), "2023-06-05T00:00:00Z") << key;
  }
  EXPECT_THAT(LineOf(document.Find("e")->Time()), HasSubstr("a.toml:5: e is"));
  EXPECT_FALSE(document.Find("f")->Time().has_value());
}

TEST(TomlTest, WrongTypesNameKeyLineAndWhatIsNeeded) {
  const Toml document = Parsed("a = 'x'\nb = 2.5\nc = inf\n[t]\nk = true\n");
  EXPECT_EQ(LineOf(document.Find("a")->Number()), "a.toml:1: a is text; must be a number");
  EXPECT_THAT(LineOf(document.Find("b")->Integer()), StartsWith("a.toml:2: b is 2.5; must be a whole number"));
  EXPECT_THAT(LineOf(document.Find("c")->Number()), StartsWith("a.toml:3: c is inf; must be a finite"));
  EXPECT_EQ(LineOf(document.Find("t")->Find("k")->Text()), "a.toml:5: t.k is true or false; must be text in quotes");
  EXPECT_THAT(LineOf(document.Find("t")->Elements()), HasSubstr("must be an array, written [[t]]"));
  EXPECT_THAT(LineOf(document.Find("a")->Get("k")), StartsWith("a.toml:1: a is text; must be a table"));
  EXPECT_THAT(LineOf(document.Find("t")->Get("x")), StartsWith("a.toml:4: t.x is missing"));
}

TEST(TomlTest, KeysThatNobodyReadsAreRefusedAndTheNearestNamed) {
  constexpr std::array<std::string_view, 2> kKnown{"pue", "slots"};
  EXPECT_TRUE(Parsed("pue = 1\nslots = 2\n").RefuseOtherKeys(kKnown).has_value());
  EXPECT_EQ(LineOf(Parsed("pue = 1\nslot = 2\n").RefuseOtherKeys(kKnown)),
            "a.toml:2: slot is not known; did you mean slots? One of pue, slots");
  EXPECT_EQ(LineOf(Parsed("zebra = 2\napple = 1\n").RefuseOtherKeys(kKnown)),
            "a.toml:1: zebra is not known; one of pue, slots");
}

TEST(TomlTest, LettersBeyondAsciiStandInQuotesAndCommentsOnly) {
  const Toml document = Parsed(
      "\xEF\xBB\xBF# für ᚠ\na = \"ü \\\" カ\"  # ˝\nb = 'ü\\'\nc = \"\"\"\nü\"\"ü\"\"\"\"\"\n\"ü\" = ''\n"
      "k = '''\nß''''\n");
  EXPECT_EQ(*document.Find("a")->Text(), "ü \" カ");
  EXPECT_EQ(*document.Find("b")->Text(), "ü\\");
  EXPECT_EQ(*document.Find("c")->Text(), "ü\"\"ü\"\"");
  EXPECT_EQ(*document.Find("ü")->Text(), "");
  EXPECT_EQ(*document.Find("k")->Text(), "ß'");
  for (const auto* text : {"a = 1\nb = 1.˝3\n", "a = 1\nü = 2\n", "a = 'x'\nb = カ\n", "a = 1\n[ü]\n",
                           "a = \"\"\"\n\\ü\"\"\"", "a = '''x''''\nb = ''ü", "a = \"x\\\\\"\nü"}) {
    EXPECT_THAT(LineOf(Toml::Parse(text, "a.toml")), StartsWith("a.toml:2: a character outside ASCII")) << text;
  }
}

TEST(TomlTest, TextThatIsNoTomlIsOneErrorWithItsLine) {
  for (const auto* text :
       {"a = 1\na = 2\n", "a = 1\nb = \n", "a = 1\nb = [1,\n", "a = 1\n\xff = 2\n", "[~a]\n", "[[[a]]]\n", "[[=\n"}) {
    const auto document = Toml::Parse(text, "a.toml");
    ASSERT_FALSE(document.has_value()) << text;
    EXPECT_EQ(document.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(document.error().Line(), StartsWith("a.toml:")) << text;
  }
  const std::string deep(5000, '[');
  EXPECT_FALSE(Toml::Parse("a = " + deep, "a.toml").has_value());
}

}  // namespace
}  // namespace heliostat::io
