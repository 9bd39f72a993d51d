#include "heliostat/control/policy/rolling_policy.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/counting.h"
#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

// Finds no plan and names no job as unplaced.
class NoPlan : public PlanGoal {
 public:
  plan::Outcome MakePlan(const Observation& /*observation*/, const scenario::Scenario& /*ahead*/,
                         PlanSolver& /*solver*/) override {
    return {};
  }
};

class Clueless : public RollingPolicy {
 public:
  Clueless() : RollingPolicy({}, Means::kAll, true, scenario::Performance::kThroughput, std::make_unique<NoPlan>()) {}
};

TEST(RollingPolicy, DoesNotPlanAgainWithoutNews) {
  Desk desk;
  Counting policy;
  desk.Submit(4.0, 20.0);
  desk.Ask(policy);
  EXPECT_EQ(policy.plans(), 1);
  desk.Ask(policy);
  desk.MoveTo(0.5);
  desk.Ask(policy);
  EXPECT_EQ(policy.plans(), 1);
}

TEST(RollingPolicy, SeveralNewsMakeOnePlanAfterAPause) {
  Desk desk;
  Counting policy;
  desk.Ask(policy);
  for (int minute = 1; minute < 5; ++minute) {
    desk.MoveTo(minute / 60.0);
    desk.Submit(1.0, 20.0);
    EXPECT_EQ(desk.Ask(policy).call_again, desk.site().start + 5min);
  }
  EXPECT_EQ(policy.plans(), 1);
  desk.MoveTo(5.0 / 60.0);
  desk.Ask(policy);
  EXPECT_EQ(policy.plans(), 2);
}

TEST(RollingPolicy, PlansAtEveryArrivalWhenItPlansAfresh) {
  Desk desk;
  const auto policy = Named("ca-rm-performance+afresh");
  desk.Ask(*policy);
  for (int minute = 1; minute < 5; ++minute) {
    desk.MoveTo(minute / 60.0);
    desk.Submit(1.0, 20.0);
    desk.Ask(*policy);
    EXPECT_EQ(policy->Plans().plans, 1 + minute);
  }
}

TEST(RollingPolicy, OnlyPoliciesThatPlanCanPlanAfresh) {
  EXPECT_TRUE(Make("ca-rm-ppc+afresh", {}));
  EXPECT_TRUE(Make("ce-dla+afresh+sleep", {})) << "in any order";
  EXPECT_TRUE(Make("ce-dla+sleep+afresh", {}));
  EXPECT_TRUE(Describe("ca-rm-ppc+afresh")->ends_with("search of its own"));
  for (const char* name : {"edf+afresh", "run-now+sleep+afresh"}) {
    const auto made = Make(name, {});
    ASSERT_FALSE(made) << name;
    EXPECT_NE(made.error().Line().find("makes no plans"), std::string::npos) << made.error().Line();
  }
  EXPECT_FALSE(Make("ca-rm-ppc+afresh+afresh", {}));
}

TEST(RollingPolicy, AnUrgentJobDoesNotWaitForThePause) {
  Desk desk;
  Counting policy;
  desk.Ask(policy);
  desk.MoveTo(1.0 / 60.0);
  desk.Submit(2.0, 1.1);
  desk.Ask(policy);
  EXPECT_GE(policy.plans(), 2);
}

TEST(RollingPolicy, AJobThatEndsEarlyIsForgottenWithoutAPlan) {
  Desk desk;
  Counting policy;
  const JobId job = desk.Submit(4.0, 3.0);
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));
  desk.MoveTo(0.5);
  desk.End(job);
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
  EXPECT_EQ(policy.plans(), 1);
}

TEST(RollingPolicy, AJobThatIsNotDoneWhenItShouldBeRunsOnInAnotherPlan) {
  Desk desk;
  Counting policy;
  const JobId job = desk.Submit(2.0, 1.1);
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));
  desk.Progress(job, 0.5);
  desk.MoveTo(1.25);
  desk.Ask(policy);
  EXPECT_GE(policy.plans(), 2);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(RollingPolicy, AJobWhoseCourseIsOverRunsOnUntilThereIsAnother) {
  Desk desk;
  Counting policy;
  const JobId job = desk.Submit(0.1, 0.06);  // three minutes
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));
  desk.Progress(job, 0.9);
  desk.MoveTo(4.0 / 60.0);
  EXPECT_EQ(desk.Ask(policy).call_again, desk.site().start + 5min);
  EXPECT_EQ(policy.plans(), 1);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(RollingPolicy, ANodeThatFailsMakesAnotherPlan) {
  Desk desk;
  Counting policy;
  for (int i = 0; i < 4; ++i) desk.Submit(4.0, 2.05, 4, 4);
  desk.Ask(policy);
  const int plans = policy.plans();
  desk.MoveTo(0.5);
  desk.FailNode(1);
  desk.Ask(policy);
  EXPECT_GT(policy.plans(), plans);
}

TEST(RollingPolicy, LeavesPowerLimitsAloneWhereTheyCannotBeSet) {
  for (const bool can_cap : {true, false}) {
    Desk desk;
    desk.can().cap_power = can_cap;
    Counting policy;
    const JobId job = desk.Submit(2.0, 30.0);
    bool is_default = true;
    for (double hour = 0.0; hour < 30.0; hour += 0.5) {
      desk.MoveTo(hour);
      desk.Ask(policy);
      if (desk.Runs(job)) is_default = is_default && desk.PointOf(job).knob.power_limit_w == 300.0;
    }
    ASSERT_TRUE(desk.job(job).home.has_value());
    EXPECT_EQ(is_default, !can_cap);  // with time to spare, a lower limit saves energy
  }
}

TEST(RollingPolicy, OrdersNoNodesWhereTheyCannotSleep) {
  Desk desk;
  desk.can().sleep_nodes = false;
  Counting policy;
  desk.Submit(2.0, 20.0);
  for (int hour = 0; hour < 12; ++hour) {
    desk.MoveTo(hour);
    EXPECT_TRUE(desk.Ask(policy).nodes_on.empty());
  }
}

TEST(RollingPolicy, OrdersNoNodesWithoutRightSizing) {
  Desk desk;
  Counting policy(Means::kAll, false);
  EXPECT_FALSE(policy.MindsNodes());
  desk.Submit(2.0, 20.0);
  EXPECT_TRUE(desk.Ask(policy).nodes_on.empty());
}

TEST(RollingPolicy, StopsNothingWhereJobsCannotBeStopped) {
  Desk desk({300, 600, 600, 20, 20, 20, 20, 300});
  desk.can().suspend = desk.can().requeue = false;
  Counting policy;
  const JobId job = desk.Submit(8.0, 4.5);
  bool has_begun = false;
  for (double hour = 0.0; hour < 4.5; hour += 0.25) {
    desk.MoveTo(hour);
    desk.Ask(policy);
    EXPECT_TRUE(!has_begun || desk.Runs(job)) << hour;
    has_begun = has_begun || desk.Runs(job);
  }
  EXPECT_TRUE(has_begun);
}

TEST(RollingPolicy, ARestartedPolicyDoesNotStartRunningJobsAgain) {
  for (const Means means : {Means::kAll, Means::kDefault}) {
    Desk desk;
    Counting before(means);
    const JobId job = desk.Submit(4.0, 2.1);
    desk.Ask(before);
    ASSERT_TRUE(desk.Runs(job));
    const RunSetting setting = desk.job(job).setting;
    desk.RestartPolicy();
    Counting after(means);
    const Decision& decision = desk.Ask(after);
    EXPECT_TRUE(desk.Runs(job));
    EXPECT_EQ(desk.job(job).setting.group, setting.group);
    if (means == Means::kDefault) EXPECT_EQ(Starts(decision, job), 0U);
    // An order is allowed only if it changes the setting.
    EXPECT_LE(Starts(decision, job), desk.job(job).setting == setting ? 0U : 1U);
  }
}

TEST(RollingPolicy, LeavesJobsAloneThatAreOnTheirWay) {
  for (const Phase phase : {Phase::kStarting, Phase::kStopping}) {
    Desk desk;
    Counting policy;
    const JobId job = desk.Submit(4.0, 2.1);
    desk.job(job).phase = phase;
    desk.job(job).setting = {1, 2};
    desk.job(job).home = 1;
    EXPECT_TRUE(desk.Ask(policy).jobs.empty());
  }
}

TEST(RollingPolicy, LeavesHeldJobsAloneUntilTheyAreReleased) {
  Desk desk;
  Counting policy;
  const JobId job = desk.Submit(2.0, 1.5);
  desk.Hold(job);
  for (double hour = 0.0; hour < 1.0; hour += 0.25) {
    desk.MoveTo(hour);
    EXPECT_TRUE(desk.Ask(policy).jobs.empty());
  }
  desk.Release(job);
  EXPECT_EQ(desk.Ask(policy).nodes_on, (std::vector<int>{0, 1}));  // all have gone to sleep meanwhile
  desk.MoveTo(1.0);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(RollingPolicy, AJobThatIsHeldLaterIsForgotten) {
  Desk desk({600, 600, 600, 20, 20, 20, 600, 600});
  Counting policy;
  const JobId job = desk.Submit(2.0, 7.0);
  desk.Ask(policy);
  ASSERT_FALSE(desk.Runs(job));
  desk.Hold(job);
  for (double hour = 0.5; hour < 7.0; hour += 0.5) {
    desk.MoveTo(hour);
    EXPECT_TRUE(desk.Ask(policy).jobs.empty());
  }
}

TEST(RollingPolicy, AJobWithoutAModelRunsAsItIs) {
  Desk desk;
  Counting policy;
  const JobId job = desk.SubmitUnmeasured(2.0, 2.1, 3);
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));
  EXPECT_EQ(desk.job(job).setting.point, 0U);
  const JobId too_big = desk.SubmitUnmeasured(2.0, 2.1, 9);
  desk.MoveTo(1.0);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
  EXPECT_FALSE(desk.Runs(too_big));
}

TEST(RollingPolicy, AStartThatWasRefusedIsOrderedAgain) {
  Desk desk;
  Counting policy;
  const JobId job = desk.Submit(4.0, 2.1);
  desk.Refuse(job);
  EXPECT_EQ(Starts(desk.Ask(policy), job), 1U);
  ASSERT_FALSE(desk.Runs(job));
  desk.Obey(job);
  desk.MoveTo(1.0 / 60.0);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(RollingPolicy, AJobThatLostItsGpusIsPlannedAtOnce) {
  Desk desk;
  Counting policy;
  const JobId job = desk.Submit(4.0, 2.1);
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));
  desk.MoveTo(1.0 / 60.0);
  desk.Interrupt(job);
  const int plans = policy.plans();
  desk.Ask(policy);
  EXPECT_GT(policy.plans(), plans);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(RollingPolicy, AnExpectedJobNeedsNoPlanWhenItComes) {
  Desk desk;
  Counting policy;
  scenario::Job expected;
  expected.id = "j0";
  expected.model = "m";
  expected.submit = desk.site().start + 1h;
  expected.deadline = desk.site().start + 30h;
  expected.samples = 100.0 * 7200.0;
  desk.Announce(expected);
  desk.Ask(policy);
  EXPECT_EQ(policy.plans(), 1);
  desk.MoveTo(1.0);
  desk.Submit(2.0, 29.0);
  desk.Ask(policy);
  EXPECT_EQ(policy.plans(), 1);
}

TEST(RollingPolicy, MoreWorkThanThereIsRoomForIsLateRatherThanUnplanned) {
  Desk desk;
  Counting policy;
  std::vector<JobId> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(desk.Submit(4.0, 2.1, 4, 4));
  desk.Ask(policy);
  // Two keep their deadlines in the faster group.
  const auto keeps = [&](JobId job) { return desk.Runs(job) && desk.job(job).setting.group == 1; };
  EXPECT_EQ(std::count_if(jobs.begin(), jobs.end(), keeps), 2);
}

TEST(RollingPolicy, WhereTheGoalFindsNoPlanTheMostUrgentRunAtFullSpeed) {
  Desk desk;
  Clueless policy;
  std::vector<JobId> later;
  for (int i = 0; i < 4; ++i) later.push_back(desk.Submit(4.0, 9.0, 4, 4));
  const JobId soon = desk.Submit(4.0, 3.0, 4, 4);
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(soon));
  EXPECT_EQ(desk.PointOf(soon).knob.power_limit_w, 300.0);
  EXPECT_FALSE(desk.Runs(later.back()));
}

TEST(RollingPolicy, AJobThatIsLateAnywayWaitsForThoseThatAreNot) {
  Desk desk;
  Counting policy;
  const JobId lost = desk.Submit(4.0, 1.0, 4, 4);  // takes two hours in the faster group
  for (int i = 0; i < 6; ++i) desk.Submit(4.0, 4.2, 4, 4);
  desk.Ask(policy);
  EXPECT_FALSE(desk.Runs(lost));
}

TEST(RollingPolicy, TheHeaviestJobsKeepTheirDeadlines) {
  for (const std::size_t light : {0U, 1U, 2U}) {
    Desk desk;
    Counting policy;
    std::vector<JobId> jobs;
    for (std::size_t i = 0; i < 3; ++i) {
      jobs.push_back(desk.Submit(4.0, 2.2, 4, 4));
      desk.job(jobs[i]).asked.weight = i == light ? 1.0 : 2.0;
    }
    desk.Ask(policy);
    // Only the faster group is fast enough, and it has room for two.
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(desk.Runs(jobs[i]) && desk.job(jobs[i]).setting.group == 1, i != light) << light << i;
    }
  }
}

TEST(RollingPolicy, ServicesAreServedAndTheirGpusLeftToThem) {
  Desk desk;
  desk.AddService(30.0);
  Counting policy;
  for (int i = 0; i < 4; ++i) desk.Submit(4.0, 20.0, 4, 4);
  for (int hour = 0; hour < 12; ++hour) {
    desk.MoveTo(hour);
    desk.Ask(policy);
    desk.Show([&](const Observation& observation) {
      EXPECT_GE(observation.services[0].serving.replicas, 2);
      for (const GroupState& group : observation.groups) EXPECT_GE(group.gpus_free(), 0) << hour;
    });
  }
}

}  // namespace
}  // namespace heliostat::policy::testing
