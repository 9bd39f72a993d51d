#include "heliostat/control/policy/node_sleep_policy.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

TEST(NodeSleepPolicy, LetsIdleNodesSleepOnceAWakeUpWouldPay) {
  Desk desk;
  auto policy = Named("run-now+sleep");
  const Decision& first = desk.Ask(*policy);
  EXPECT_EQ(first.nodes_on, (std::vector<int>{2, 2}));
  ASSERT_TRUE(first.call_again.has_value());
  // A wake-up is 36 kJ and five minutes of 200 W; an idle node draws 270 W more than one asleep: 355.6 s.
  EXPECT_EQ(*first.call_again, desk.now() + Duration{356});
  desk.MoveTo(356.0 / 3600.0);
  EXPECT_EQ(desk.Ask(*policy).nodes_on, (std::vector<int>{0, 0}));
}

TEST(NodeSleepPolicy, WakesForWorkThatWaits) {
  Desk desk;
  auto policy = Named("run-now+sleep");
  desk.Ask(*policy);
  desk.MoveTo(1.0);
  desk.Ask(*policy);
  desk.Submit(2.0, 20.0, 2, 2);
  const Decision& decision = desk.Ask(*policy);
  EXPECT_EQ(decision.nodes_on, (std::vector<int>{1, 0}));
}

TEST(NodeSleepPolicy, CountsAJobThatHasBegunOnce) {
  Desk desk;
  auto policy = Named("run-now+sleep");
  const JobId first = desk.Submit(2.0, 20.0, 4, 4);
  desk.Ask(*policy);
  ASSERT_TRUE(desk.Runs(first));
  // Half of the group is free: counted twice, the first job would fill it.
  const JobId second = desk.Submit(2.0, 20.0, 4, 4);
  desk.Ask(*policy);
  ASSERT_TRUE(desk.Runs(second));
  EXPECT_EQ(desk.job(second).setting.group, desk.job(first).setting.group);
}

TEST(Policies, NamesAreKnownDescribedAndSuggested) {
  EXPECT_EQ(Policies().front().name, "run-now");
  for (const Info& info : Policies()) {
    EXPECT_TRUE(Make(info.name, {}).has_value()) << info.name;
    EXPECT_FALSE(info.description.empty());
  }
  EXPECT_TRUE(Describe("edf+sleep")->ends_with("idle nodes sleep"));
  const auto wrong = Make("ca-rm-pcc", {});
  ASSERT_FALSE(wrong.has_value());
  EXPECT_NE(wrong.error().Line().find("ca-rm-ppc"), std::string::npos);
}

}  // namespace
}  // namespace heliostat::policy::testing
