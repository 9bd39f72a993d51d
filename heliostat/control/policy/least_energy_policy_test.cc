#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(LeastEnergy, TakesTheGroupThatNeedsLeastForASample) {
  Desk desk;
  auto policy = Named("least-energy");
  const JobId job = desk.Submit(2.0, 30.0, 1, 1);
  desk.Ask(*policy);
  // The fast GPU draws 1.2 times the power for twice the speed.
  EXPECT_EQ(desk.job(job).setting.group, 1U);
  EXPECT_EQ(desk.PointOf(job).knob.power_limit_w, 300.0);
}

}  // namespace
}  // namespace heliostat::policy::testing
