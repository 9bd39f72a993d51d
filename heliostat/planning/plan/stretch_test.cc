#include "heliostat/planning/plan/stretch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace heliostat::plan {
namespace {

TEST(StretchTest, IsOnFromTheFirstToTheLastSlotOfWhatItHolds) {
  Stretch stretch;
  stretch.Add({0, 10, 30, 1, 2, 1});
  stretch.Add({1, 25, 50, 2, 4, 2});
  EXPECT_EQ(stretch.first(), 1U);
  EXPECT_EQ(stretch.last(), 4U);
  EXPECT_EQ(stretch.Peak(0, 60), 3);
  EXPECT_EQ(stretch.Peak(30, 60), 2) << "what ends in a second is gone in it";
  EXPECT_EQ(stretch.Peak(0, 10), 0);
  stretch.Clear();
  EXPECT_TRUE(stretch.empty());
  EXPECT_EQ(stretch.Peak(0, 60), 0);
}

RC_GTEST_PROP(StretchLaw, PeakIsTheMostAtAnySecond, ()) {
  Stretch stretch;
  const int parts = *rc::gen::inRange(0, 12);
  for (int i = 0; i < parts; ++i) {
    const std::int64_t begin = *rc::gen::inRange(0, 30);
    stretch.Add({0, begin, begin + *rc::gen::inRange(1, 20), 0, 0, *rc::gen::inRange(1, 5)});
  }
  const std::int64_t from = *rc::gen::inRange(0, 50);
  const std::int64_t until = from + *rc::gen::inRange(1, 20);
  int most = 0;
  for (std::int64_t at = from; at < until; ++at) {
    int used = 0;
    for (const Part& part : stretch.parts()) used += part.begin <= at && at < part.end ? part.gpus : 0;
    most = std::max(most, used);
  }
  RC_ASSERT(stretch.Peak(from, until) == most);
}

}  // namespace
}  // namespace heliostat::plan
