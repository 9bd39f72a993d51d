#include "heliostat/base/io/number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "heliostat/base/core/random.h"

namespace heliostat::io {
namespace {

// Correct rounding is checked against the C library over both paths: short
// decimals as files have them, and the shortest text of any double.
TEST(NumberTest, RoundsAsTheCLibraryDoes) {
  RandomStream random(11);
  for (int i = 0; i < 200000; ++i) {
    const std::string text = i % 2 == 0
                                 ? fmt::format("{:.{}f}", random.Uniform(-1e6, 1e6), random.Below(12))
                                 : fmt::format("{}", random.Normal() * std::pow(10.0, random.Uniform(-300, 300)));
    const auto expected = std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(*ParseNumber(text)), expected) << text;
    const std::string padded = "7,.1-9,3" + text;
    double fast = 0;
    ASSERT_TRUE(ParseNumberBefore(padded.data() + padded.size(), text.size(), fast)) << text;
    ASSERT_EQ(std::bit_cast<std::uint64_t>(fast), expected) << text;
  }
}

TEST(NumberTest, AcceptsWhatFilesHold) {
  EXPECT_EQ(*ParseNumber("0"), 0);
  EXPECT_EQ(*ParseNumber("-31.7"), -31.7);
  EXPECT_EQ(*ParseNumber("+5"), 5);
  EXPECT_EQ(*ParseNumber(".5"), 0.5);
  EXPECT_EQ(*ParseNumber("5."), 5);
  EXPECT_EQ(*ParseNumber("1e3"), 1000);
  EXPECT_EQ(*ParseNumber("18.181818181818181818181818181818"), 18.181818181818181818);
}

TEST(NumberTest, RefusesWhatIsNotANumber) {
  for (const char* bad : {"", "-", "+", ".", "nan", "NaN", "-nan", "inf", "-Infinity", "1,5", "1 ", " 1", "0x10", "1e",
                          "--1", "+-1", "1e999", "12a"}) {
    EXPECT_FALSE(ParseNumber(bad)) << bad;
  }
}

// Both readers accept and refuse the same texts, for any bytes before them.
TEST(NumberTest, TheShortPathAgreesOnAnyBytes) {
  RandomStream random(12);
  constexpr std::string_view kLetters = "0123456789.-+eE ,nan\"/:;";
  for (int i = 0; i < 300000; ++i) {
    std::string padded = "01234567";
    const std::size_t size = random.Below(10);
    for (std::size_t k = 0; k < size; ++k) padded += kLetters[random.Below(random.Chance(0.7) ? 11 : kLetters.size())];
    const std::string_view text = std::string_view(padded).substr(8);
    const auto plain = ParseNumber(text);
    double fast = 0;
    ASSERT_EQ(plain.has_value(), ParseNumberBefore(padded.data() + padded.size(), size, fast)) << text;
    if (plain) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(*plain), std::bit_cast<std::uint64_t>(fast)) << text;
    }
  }
}

TEST(NumberTest, Integers) {
  EXPECT_EQ(*ParseInteger("288"), 288);
  EXPECT_EQ(*ParseInteger("-7"), -7);
  for (const char* bad : {"", "-", "1.0", "1234567890", "+1", " 1"}) EXPECT_FALSE(ParseInteger(bad)) << bad;
}

}  // namespace
}  // namespace heliostat::io
