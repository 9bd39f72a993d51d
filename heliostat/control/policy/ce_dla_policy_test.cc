#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(CeDla, AvoidsThePeakPriceAndKeepsEveryNodeOn) {
  Desk desk(std::vector<double>(8, 300.0), {0.5, 0.5, 0.5, 0.1, 0.1, 0.1, 0.5, 0.5});
  auto policy = Named("ce-dla");
  const JobId job = desk.Submit(2.0, 7.0, 1, 1);
  EXPECT_TRUE(desk.Ask(*policy).nodes_on.empty());
  EXPECT_FALSE(desk.Runs(job));
  for (int slot = 1; slot < 3; ++slot) {
    desk.MoveTo(slot);
    desk.Ask(*policy);
    EXPECT_FALSE(desk.Runs(job));
  }
  for (double hour = 3.0; hour < 5.9 && !desk.Runs(job); hour += 0.25) {
    desk.MoveTo(hour);
    desk.Ask(*policy);
  }
  ASSERT_TRUE(desk.Runs(job));
  EXPECT_EQ(desk.PointOf(job).knob.power_limit_w, 300.0);
}

TEST(CeDla, OnceAJobRunsItRunsOn) {
  Desk desk(std::vector<double>(24, 300.0), std::vector<double>(24, 0.2));
  auto policy = Named("ce-dla");
  const JobId job = desk.Submit(6.0, 3.2, 1, 1);
  desk.Ask(*policy);
  desk.MoveTo(0.2);
  desk.Ask(*policy);
  ASSERT_TRUE(desk.Runs(job));
  desk.MoveTo(1.0);
  desk.Submit(2.0, 7.0, 1, 1);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(job));
}

}  // namespace
}  // namespace heliostat::policy::testing
