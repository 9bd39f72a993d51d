#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(Zeus, ChoosesTheLimitWithLeastEnergyASampleWhateverTheGridDoes) {
  for (const double grams : {10.0, 900.0}) {
    Desk desk(std::vector<double>(24, grams));
    auto policy = Named("zeus");
    const JobId job = desk.Submit(2.0, 30.0, 2, 2);
    desk.Ask(*policy);
    // 100 W / 0.5 = 200, 200 W / 0.9 = 222, 300 W / 1 = 300 joules for as much work.
    EXPECT_EQ(desk.PointOf(job).knob.power_limit_w, 100.0);
    EXPECT_EQ(desk.PointOf(job).workers, 2);
  }
}

}  // namespace
}  // namespace heliostat::policy::testing
