#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(CaRmPerformance, SendsNodesToSleepThatNothingNeeds) {
  Desk desk;
  auto policy = Named("ca-rm-performance");
  const Decision& decision = desk.Ask(*policy);
  EXPECT_EQ(decision.nodes_on, (std::vector<int>{0, 0}));
}

TEST(CaRmPerformance, WaitsForTheCleanHoursThatTheDeadlineAllows) {
  Desk desk({500, 500, 500, 20, 20, 20, 500, 500});
  auto policy = Named("ca-rm-performance");
  const JobId job = desk.Submit(2.0, 7.0, 1, 1);
  desk.Ask(*policy);
  EXPECT_FALSE(desk.Runs(job));
  desk.MoveTo(4.0);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(CaRmPerformance, RunsAtOnceWhatCannotWait) {
  Desk desk({500, 500, 500, 20, 20, 20, 500, 500});
  auto policy = Named("ca-rm-performance");
  const JobId job = desk.Submit(2.0, 1.1, 1, 1);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(CaRmPerformance, AJobThatIsLateAlreadyRunsAsSoonAsItCan) {
  Desk desk(std::vector<double>(24, 300.0));
  auto policy = Named("ca-rm-performance");
  const JobId job = desk.Submit(8.0, 0.5, 1, 1);
  desk.Ask(*policy);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(CaRmPerformance, AsksToBeCalledWhenANodeMustWake) {
  Desk desk({500, 500, 500, 20, 20, 20, 500, 500});
  auto policy = Named("ca-rm-performance");
  desk.Submit(2.0, 7.0, 1, 1);
  const Decision& decision = desk.Ask(*policy);
  ASSERT_TRUE(decision.call_again.has_value());
  EXPECT_GT(*decision.call_again, desk.now());
  EXPECT_LE(*decision.call_again, desk.site().start + std::chrono::hours{4});
}

}  // namespace
}  // namespace heliostat::policy::testing
