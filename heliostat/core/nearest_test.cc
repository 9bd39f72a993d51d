#include "heliostat/core/nearest.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heliostat
