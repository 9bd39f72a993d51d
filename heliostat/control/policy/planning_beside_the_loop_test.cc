#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/counting.h"
#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

// Makes a plan when it begins; the test decides when it arrives.
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

TEST(PlanningBesideTheLoop, NothingIsTouchedUntilTheFirstPlanIsThere) {
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

TEST(PlanningBesideTheLoop, TheOldPlanIsCarriedOutWhileAnotherIsMade) {
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
  EXPECT_FALSE(desk.Runs(first));  // the dirty hours, by the old plan
  EXPECT_EQ(policy.plans(), 2);
  desk.MoveTo(3.0);
  planning.Arrive();
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(first));
  bool second_ran = desk.Runs(second);
  for (const double hour : {3.5, 4.0, 4.5}) {
    desk.MoveTo(hour);
    desk.Ask(policy);
    second_ran = second_ran || desk.Runs(second);
  }
  EXPECT_TRUE(second_ran) << "in the clean hours, by the new plan";
}

TEST(PlanningBesideTheLoop, AJobThatBeganWhileAPlanWasMadeGoesOnAndIsPlannedAgain) {
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

TEST(PlanningBesideTheLoop, AJobThatEndsWhileAPlanIsMadeIsNotMissed) {
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

TEST(PlanningBesideTheLoop, KeepsTheOldPlanWhenThereWasNoTimeForAnother) {
  Desk desk({20, 20, 600, 600, 600, 600, 600, 600});
  LatePlanning good;
  LatePlanning hurried(0);
  Counting policy;
  policy.PlanWith(good);
  const JobId job = desk.Submit(2.0, 7.0);
  good.Arrive();
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));
  const RunSetting setting = desk.job(job).setting;
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

TEST(PlanningBesideTheLoop, AJobThatCannotAwaitAPlanStartsAtOnce) {
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

TEST(PlanningBesideTheLoop, PlansForWhenThePlanWillBeThere) {
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

}  // namespace
}  // namespace heliostat::policy::testing
