#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(CeDlaDrs, SendsNodesToSleepThatNothingNeeds) {
  Desk desk(std::vector<double>(24, 300.0), std::vector<double>(24, 0.2));
  auto policy = Named("ce-dla-drs");
  EXPECT_EQ(desk.Ask(*policy).nodes_on, (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace heliostat::policy::testing
