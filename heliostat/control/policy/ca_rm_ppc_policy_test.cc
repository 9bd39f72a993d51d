#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(CaRmPpc, SendsNodesToSleepThatNothingNeeds) {
  Desk desk;
  auto policy = Named("ca-rm-ppc");
  const Decision& decision = desk.Ask(*policy);
  EXPECT_EQ(decision.nodes_on, (std::vector<int>{0, 0}));
}

TEST(CaRmPpc, FinishesEarlierThanLeastCarbonAloneWould) {
  // Evenly dirty: waiting saves nothing, and early work is performance.
  Desk desk(std::vector<double>(24, 300.0));
  auto policy = Named("ca-rm-ppc");
  const JobId job = desk.Submit(2.0, 20.0, 1, 1);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(job));
}

}  // namespace
}  // namespace heliostat::policy::testing
