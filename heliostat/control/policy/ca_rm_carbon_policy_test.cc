#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(CaRmCarbon, SendsNodesToSleepThatNothingNeeds) {
  Desk desk;
  auto policy = Named("ca-rm-carbon");
  const Decision& decision = desk.Ask(*policy);
  EXPECT_EQ(decision.nodes_on, (std::vector<int>{0, 0}));
}

TEST(CaRmCarbon, WithRoomInTheBudgetRunsAtOnce) {
  Desk desk({200, 200, 200, 190, 190, 190, 200, 200});
  PolicyOptions options;
  options.carbon_budget_kg = 1000.0;
  auto policy = Named("ca-rm-carbon", options);
  const JobId job = desk.Submit(2.0, 7.0, 1, 1);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(CaRmCarbon, WithATightBudgetWaitsForCleanHours) {
  Desk desk({900, 900, 900, 10, 10, 10, 900, 900});
  PolicyOptions options;
  options.carbon_budget_kg = 0.05;
  auto policy = Named("ca-rm-carbon", options);
  const JobId job = desk.Submit(2.0, 7.0, 1, 1);
  desk.Ask(*policy);
  EXPECT_FALSE(desk.Runs(job));
}

}  // namespace
}  // namespace heliostat::policy::testing
