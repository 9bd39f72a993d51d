#include "heliostat/policy/rolling_policy.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heliostat/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

// Least carbon, and a count of plans.
class CountedGoal : public PlanGoal {
 public:
  explicit CountedGoal(std::shared_ptr<int> plans) : plans_(std::move(plans)) {}
  plan::Outcome MakePlan(const Observation& /*observation*/, const scenario::Scenario& ahead,
                         PlanSolver& solver) override {
    ++*plans_;
    return solver.Solve(ahead, {.carbon_kg = 1.0, .energy_kwh = 1e-4});
  }

 private:
  std::shared_ptr<int> plans_;
};

class Counting : public RollingPolicy {
 public:
  explicit Counting(Means means = Means::kAll, bool right_sizing = true)
      : Counting(std::make_shared<int>(0), means, right_sizing) {}
  int plans() const { return *plans_; }

 private:
  Counting(std::shared_ptr<int> plans, Means means, bool right_sizing)
      : RollingPolicy({}, means, right_sizing, scenario::Performance::kThroughput,
                      std::make_unique<CountedGoal>(plans)),
        plans_(std::move(plans)) {}
  std::shared_ptr<int> plans_;
};

// Finds no plan, and does not know whose fault that is.
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

// A plan is made as soon as it is begun, and arrives when the test says so.
class LatePlanning : public Planning {
 public:
  explicit LatePlanning(int most_rounds = 1000) : most_rounds_(most_rounds) {}
  Duration time() const override { return Duration{0}; }
  void Begin(std::shared_ptr<PlanTask> task, Instant /*now*/) override {
    auto rounds = plan::Rounds::AtMost(most_rounds_);
    task->Make(rounds);
    is_busy_ = true;
  }
  bool IsBusy() const override { return is_busy_; }
  bool Take(Instant /*now*/) override {
    if (!is_busy_ || !arrives_) return false;
    is_busy_ = arrives_ = false;
    return true;
  }
  void Drop() override { is_busy_ = false; }
  std::optional<Instant> NextArrival(Instant /*now*/) const override { return std::nullopt; }
  int rounds() const override { return 0; }

  void Arrive() { arrives_ = true; }

 private:
  int most_rounds_;
  bool is_busy_ = false;
  bool arrives_ = false;
};

std::size_t Starts(const Decision& decision, JobId job) {
  return static_cast<std::size_t>(std::count_if(decision.jobs.begin(), decision.jobs.end(), [&](const JobOrder& order) {
    return order.job == job && order.setting.has_value();
  }));
}

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
    const Setting setting = desk.job(job).setting;
    desk.RestartPolicy();
    Counting after(means);
    const Decision& decision = desk.Ask(after);
    EXPECT_TRUE(desk.Runs(job));
    EXPECT_EQ(desk.job(job).setting.group, setting.group);
    if (means == Means::kDefault) EXPECT_EQ(Starts(decision, job), 0U);
    // Whatever is ordered is another speed, never another start.
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
  EXPECT_GT(policy.plans(), 1);
  EXPECT_TRUE(std::any_of(jobs.begin(), jobs.end(), [&](JobId job) { return desk.Runs(job); }));
}

TEST(RollingPolicy, WithoutAnyPlanTheMostUrgentRunAtFullSpeed) {
  Desk desk;
  Clueless policy;
  std::vector<JobId> later;
  for (int i = 0; i < 4; ++i) later.push_back(desk.Submit(4.0, 9.0, 4, 4));
  const JobId soon = desk.Submit(4.0, 3.0, 4, 4);
  EXPECT_EQ(desk.Ask(policy).nodes_on, (std::vector<int>{2, 2}));
  ASSERT_TRUE(desk.Runs(soon));
  EXPECT_EQ(desk.PointOf(soon).knob.power_limit_w, 300.0);
  EXPECT_EQ(desk.job(soon).setting.group, 1U);
  EXPECT_FALSE(desk.Runs(later.back()));
  EXPECT_EQ(std::count_if(later.begin(), later.end(), [&](JobId job) { return desk.Runs(job); }), 3);
}

TEST(RollingPolicy, NothingIsTouchedUntilTheFirstPlanIsThere) {
  Desk desk;
  desk.AddService(15.0);
  LatePlanning planning;
  Counting policy;
  policy.PlanWith(planning);
  const JobId job = desk.Submit(4.0, 2.5);
  const Decision first = desk.Ask(policy);
  EXPECT_TRUE(first.jobs.empty());
  EXPECT_TRUE(first.nodes_on.empty());  // none is put to sleep
  ASSERT_EQ(first.services.size(), 1U);
  EXPECT_GE(first.services[0].serving.replicas, 1);  // requests do not wait
  desk.MoveTo(1.0 / 60.0);
  planning.Arrive();
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
  EXPECT_EQ(policy.plans(), 1);
}

TEST(RollingPolicy, TheOldPlanIsCarriedOutWhileAnotherIsMade) {
  Desk desk({20, 600, 600, 20, 20, 600, 600, 600});
  LatePlanning planning;
  Counting policy;
  policy.PlanWith(planning);
  const JobId first = desk.Submit(4.0, 7.0);
  planning.Arrive();
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(first));
  desk.MoveTo(0.5);
  const JobId second = desk.Submit(1.0, 6.0);
  desk.Ask(policy);  // begins another plan
  EXPECT_EQ(policy.plans(), 2);
  desk.MoveTo(1.0);
  desk.Progress(first, 0.5);
  desk.Ask(policy);
  EXPECT_FALSE(desk.Runs(first));  // the dirty hours, as the old plan says
  EXPECT_EQ(policy.plans(), 2);
  desk.MoveTo(3.0);
  planning.Arrive();
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(first));
  EXPECT_TRUE(desk.Runs(second));
}

TEST(RollingPolicy, AJobThatBeganWhileAPlanWasMadeGoesOnAndIsPlannedAgain) {
  Desk desk({600, 20, 20, 20, 600, 600, 600, 600});
  LatePlanning planning;
  Counting policy;
  policy.PlanWith(planning);
  const JobId job = desk.Submit(4.0, 7.0, 1, 1, false);
  planning.Arrive();
  desk.Ask(policy);
  ASSERT_FALSE(desk.Runs(job));
  desk.MoveTo(0.9);
  desk.SetCarbon(1, 500.0);
  desk.Submit(1.0, 6.0);
  desk.Ask(policy);  // begins a plan in which the job waits
  desk.MoveTo(1.0);
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));  // by the old one
  const int plans = policy.plans();
  desk.MoveTo(1.05);
  planning.Arrive();
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
  desk.MoveTo(1.2);
  desk.Ask(policy);
  EXPECT_GT(policy.plans(), plans);
}

TEST(RollingPolicy, AJobThatEndsWhileAPlanIsMadeIsNotMissed) {
  Desk desk;
  LatePlanning planning;
  Counting policy;
  policy.PlanWith(planning);
  const JobId job = desk.Submit(4.0, 2.5);
  desk.Ask(policy);
  desk.End(job);
  desk.Ask(policy);
  planning.Arrive();
  desk.MoveTo(0.1);
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
}

TEST(RollingPolicy, KeepsTheOldPlanWhenThereWasNoTimeForAnother) {
  Desk desk({20, 20, 600, 600, 600, 600, 600, 600});
  LatePlanning good;
  LatePlanning hurried(0);
  Counting policy;
  policy.PlanWith(good);
  const JobId job = desk.Submit(2.0, 7.0);
  good.Arrive();
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));
  const Setting setting = desk.job(job).setting;
  policy.PlanWith(hurried);
  desk.MoveTo(0.2);
  for (int i = 0; i < 8; ++i) desk.Submit(4.0, 2.4, 4, 4);  // no plan without many rounds
  desk.Ask(policy);
  hurried.Arrive();
  desk.MoveTo(0.3);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
  EXPECT_EQ(desk.job(job).setting, setting);
}

TEST(RollingPolicy, AJobThatCannotAwaitAPlanStartsAtOnce) {
  Desk desk;
  desk.SetPlanningTime(Duration{10min});
  LatePlanning planning;
  Counting policy;
  policy.PlanWith(planning);
  const JobId calm = desk.Submit(2.0, 9.0);
  const JobId urgent = desk.Submit(2.0, 1.2);  // an hour at the least
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(urgent));
  EXPECT_FALSE(desk.Runs(calm));
  desk.MoveTo(1.0 / 6.0);
  planning.Arrive();
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(urgent));
}

TEST(RollingPolicy, PlansForWhenThePlanWillBeThere) {
  for (const Duration time : {Duration{0}, Duration{20min}}) {
    Desk desk;
    desk.SetPlanningTime(time);
    Counting policy;
    const JobId job = desk.Submit(2.0, 1.5);  // an hour at the least
    const Decision& decision = desk.Ask(policy);
    if (time == Duration{0}) {
      EXPECT_EQ(Starts(decision, job), 1U);
      continue;
    }
    EXPECT_EQ(Starts(decision, job), 0U);
    ASSERT_TRUE(decision.call_again);
    EXPECT_GE(*decision.call_again, desk.site().start + time);
    EXPECT_LE(*decision.call_again, desk.site().start + 30min);
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
