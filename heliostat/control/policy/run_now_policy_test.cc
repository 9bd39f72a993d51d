#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(RunNow, StartsAtOnceWithAllWorkersAtTheHighestLimit) {
  Desk desk;
  auto policy = Named("run-now");
  const JobId job = desk.Submit(2.0, 40.0, 1, 4);
  desk.Ask(*policy);
  ASSERT_TRUE(desk.Runs(job));
  EXPECT_EQ(desk.PointOf(job).workers, 4);
  EXPECT_EQ(desk.PointOf(job).knob.power_limit_w, 300.0);
  EXPECT_EQ(desk.job(job).setting.group, 0U);  // first fit, not the fastest
}

TEST(RunNow, ServesInOrderOfArrivalAndLetsTheFirstBlock) {
  Desk desk;
  auto policy = Named("run-now");
  std::vector<JobId> big;
  for (int i = 0; i < 5; ++i) big.push_back(desk.Submit(2.0, std::nullopt, 4, 4));
  const JobId small = desk.Submit(0.1, 0.2, 1, 1);
  desk.Ask(*policy);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(desk.Runs(big[static_cast<std::size_t>(i)]));
  EXPECT_FALSE(desk.Runs(big[4]));
  EXPECT_FALSE(desk.Runs(small));
  desk.End(big[0]);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(big[4]));
  EXPECT_FALSE(desk.Runs(small));
}

TEST(RunNow, LeavesAllNodesUp) {
  Desk desk;
  auto policy = Named("run-now");
  EXPECT_TRUE(desk.Ask(*policy).nodes_on.empty());
}

}  // namespace
}  // namespace heliostat::policy::testing
