#include "heliostat/forecasting/regression/saved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "heliostat/base/core/random.h"

namespace heliostat::regression {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SavedTest, NumbersComeBackBitForBit) {
  RandomStream random(1);
  for (std::size_t length = 0; length <= 20; ++length) {
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<double> numbers;
      while (numbers.size() < length) {
        const double number = std::bit_cast<double>(random.Next());  // denormals and -0 too
        if (std::isfinite(number)) numbers.push_back(number);
      }
      io::Json saved;
      saved.Set("numbers", SaveNumbers(numbers));
      const auto loaded = LoadNumbers(*io::Json::Parse(saved.Dump(), "saved.json"), "numbers");
      ASSERT_TRUE(loaded) << loaded.error().Line();
      ASSERT_EQ(loaded->size(), length);
      for (std::size_t i = 0; i < length; ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>((*loaded)[i]), std::bit_cast<std::uint64_t>(numbers[i]));
      }
    }
  }
}

TEST(SavedTest, IsTheBase64ThatOthersWrite) {
  EXPECT_EQ(*SaveNumbers(std::vector<double>{}).Text(), "");
  EXPECT_EQ(*SaveNumbers(std::vector<double>{1}).Text(), "AAAAAAAA8D8=");
  EXPECT_EQ(*SaveNumbers(std::vector<double>{1, -2.5}).Text(), "AAAAAAAA8D8AAAAAAAAEwA==");
  EXPECT_EQ(*SaveNumbers(std::vector<double>{0, 0, 0}).Text(), std::string(32, 'A'));
}

TEST(SavedTest, RefusesWhatIsNoListOfNumbers) {
  const auto load = [](io::Json value) {
    io::Json saved;
    saved.Set("numbers", std::move(value));
    return LoadNumbers(saved, "numbers");
  };
  ASSERT_TRUE(load("AAAAAAAA8D8="));
  for (const char* text :
       {"=", "====", "A", "AAAA", "AAAAAAAA8D8A",        // not a whole number of doubles
        "AAAAAAAA8D8", "AAAAAAAA8D8==", "AAAAAAAA8D9=",  // invalid endings of base64
        "AAAA AAA8D8=", "AAAA=AAA8D8=", "AAAA-AAA8D8=", "\xc3\x84", "AAAAAAAA8D8=AAAAAAAA8D8=",  // other characters
        "AAAAAAAA+H8=", "AAAAAAAA8H8=", "AAAAAAAA8P8="}) {  // NaN and the infinities
    EXPECT_FALSE(load(text)) << text;
  }
  EXPECT_FALSE(load(1.0));
  EXPECT_FALSE(load(nullptr));
  EXPECT_FALSE(LoadNumbers(io::Json::Object{}, "numbers"));
  EXPECT_THAT(load("AAAA").error().Line(), HasSubstr("numbers: is not a list of numbers"));
}

TEST(SavedTest, MembersAreWhatTheyMustBe) {
  const auto saved = *io::Json::Parse(R"({"a": 1, "b": 1.5, "c": true, "d": "x"})", "saved.json");
  EXPECT_EQ(*LoadInteger(saved, "a"), 1);
  EXPECT_EQ(*LoadNumber(saved, "a"), 1);
  EXPECT_EQ(*LoadNumber(saved, "b"), 1.5);
  EXPECT_EQ(*LoadBoolean(saved, "c"), true);
  EXPECT_EQ(*LoadText(saved, "d"), "x");
  EXPECT_FALSE(LoadInteger(saved, "b"));
  EXPECT_FALSE(LoadNumber(saved, "d"));
  EXPECT_FALSE(LoadBoolean(saved, "a"));
  EXPECT_FALSE(LoadText(saved, "c"));
  EXPECT_FALSE(LoadText(saved, "absent"));
}

TEST(SavedTest, AModelIsKnownByItsName) {
  EXPECT_TRUE(ExpectModel(SaveModel("auto"), "auto"));
  const auto other = ExpectModel(SaveModel("auto"), "svr");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().Line(), HasSubstr("is 'auto'; must be 'svr'"));
  EXPECT_FALSE(ExpectModel(io::Json{}, "auto"));
}

}  // namespace
}  // namespace heliostat::regression
