#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(FastestNode, TakesTheFastGroupWhileItHasRoom) {
  Desk desk;
  auto policy = Named("fastest-node");
  for (int i = 0; i < 3; ++i) desk.Submit(2.0, 30.0, 4, 4);
  desk.Ask(*policy);
  EXPECT_EQ(desk.job(0).setting.group, 1U);
  EXPECT_EQ(desk.job(1).setting.group, 1U);
  EXPECT_EQ(desk.job(2).setting.group, 0U);
}

}  // namespace
}  // namespace heliostat::policy::testing
