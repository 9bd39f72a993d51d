#include "heliostat/base/core/nearest.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>

namespace heliostat {
namespace {

TEST(NearestTest, DistanceCountsLettersAddedDroppedAndChanged) {
  EXPECT_EQ(EditDistance("pue", "pue"), 0U);
  EXPECT_EQ(EditDistance("", "pue"), 3U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
  EXPECT_EQ(EditDistance("sitting", "kitten"), 3U);
}

TEST(NearestTest, OnlyCloseNamesAreMeant) {
  constexpr std::array<std::string_view, 3> kKnown{"slots", "step_minutes", "pue"};
  const std::string all = "ne of slots, step_minutes, pue";
  EXPECT_EQ(OneOf("step_minute", kKnown), "did you mean step_minutes? O" + all);
  EXPECT_EQ(OneOf("slot", kKnown), "did you mean slots? O" + all);
  EXPECT_EQ(OneOf("peu", kKnown), "did you mean pue? O" + all);
  for (const std::string& far : {std::string("colour"), std::string(), std::string(100000, 's')}) {
    EXPECT_EQ(OneOf(far, kKnown), "o" + all);
  }
}

TEST(NearestTest, TheNearestIsOneOfTheKnownNamesOrNone) {
  constexpr std::array<std::string_view, 3> kKnown{"slots", "step_minutes", "pue"};
  EXPECT_EQ(Nearest("slot", kKnown), "slots");
  EXPECT_EQ(Nearest("slots", kKnown), "slots");
  EXPECT_EQ(Nearest("colour", kKnown), "");
  EXPECT_EQ(Nearest("slot", {}), "");
}

// The properties of a metric: without them "nearest" is not well defined.
RC_GTEST_PROP(NearestLaws, EditDistanceIsAMetric, ()) {
  const auto word = rc::gen::container<std::string>(rc::gen::inRange('a', 'd'));
  const std::string a = *word;
  const std::string b = *word;
  const std::string c = *word;
  RC_ASSERT((EditDistance(a, b) == 0) == (a == b));
  RC_ASSERT(EditDistance(a, b) == EditDistance(b, a));
  RC_ASSERT(EditDistance(a, c) <= EditDistance(a, b) + EditDistance(b, c));
  RC_ASSERT(EditDistance(a, b) <= std::max(a.size(), b.size()));
  RC_ASSERT(EditDistance(a, a + b) == b.size());
}

TEST(NearestTest, TheNearestOfSeveralIsMeantAndOfEquallyNearTheFirst) {
  constexpr std::array<std::string_view, 3> kKnown{"carbon", "carbons", "cartons"};
  EXPECT_TRUE(OneOf("carbonss", kKnown).starts_with("did you mean carbons?"));
  EXPECT_TRUE(OneOf("carbn", kKnown).starts_with("did you mean carbon?"));
  constexpr std::array<std::string_view, 2> kTwins{"abcdex", "abcdey"};
  EXPECT_TRUE(OneOf("abcdez", kTwins).starts_with("did you mean abcdex?"));
}

}  // namespace
}  // namespace heliostat
