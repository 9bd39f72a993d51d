#include "heliostat/planning/plan/rounds.h"

#include <gtest/gtest.h>

namespace heliostat::plan {
namespace {

TEST(Rounds, WithoutALimitGoOn) {
  Rounds rounds;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(rounds.Begin());
  EXPECT_EQ(rounds.done(), 1000);
  EXPECT_FALSE(rounds.is_over());
}

TEST(Rounds, AreOverOnlyWhenOneMoreIsAskedFor) {
  auto rounds = Rounds::AtMost(2);
  EXPECT_TRUE(rounds.Begin());
  EXPECT_TRUE(rounds.Begin());
  EXPECT_FALSE(rounds.is_over());
  EXPECT_FALSE(rounds.Begin());
  EXPECT_TRUE(rounds.is_over());
  EXPECT_EQ(rounds.done(), 2);
}

TEST(Rounds, ANoIsTheLastWord) {
  bool may = false;
  int asked = 0;
  Rounds rounds([&](int /*done*/) {
    ++asked;
    return may;
  });
  EXPECT_FALSE(rounds.Begin());
  may = true;
  EXPECT_FALSE(rounds.Begin());
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace heliostat::plan
