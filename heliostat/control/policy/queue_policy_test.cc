#include "heliostat/control/policy/queue_policy.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/default_settings.h"
#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

// First come, first served, in the first group with free GPUs.
class Queue : public QueuePolicy {
 public:
  explicit Queue(bool blocks = true, bool retunes = false) : blocks_(blocks), retunes_(retunes) {}

 protected:
  bool Blocks() const override { return blocks_; }
  std::vector<RunSetting> WaysFor(const Observation& /*observation*/, const JobState& /*job*/,
                                  const Choices& choices) override {
    return FirstFit(choices);
  }
  std::optional<RunSetting> Retune(const Observation& /*observation*/, const JobState& job,
                                   const Choices& choices) override {
    return choices.Thriftiest(job.setting.group);
  }
  bool Retunes() const override { return retunes_; }

 private:
  bool blocks_;
  bool retunes_;
};

TEST(QueuePolicy, AStartThatWasRefusedIsOrderedAgain) {
  Desk desk;
  Queue policy;
  const JobId job = desk.Submit(1.0, 20.0);
  desk.Refuse(job);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(desk.Ask(policy).jobs.size(), 1U);
  desk.Obey(job);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
}

TEST(QueuePolicy, AStartThatIsPendingIsNotOrderedAgain) {
  Desk desk;
  Queue policy;
  const JobId job = desk.Submit(1.0, 20.0);
  desk.Delay(job);
  EXPECT_EQ(desk.Ask(policy).jobs.size(), 1U);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(desk.Ask(policy).jobs.empty());
  desk.Obey(job);  // the start had no effect
  EXPECT_EQ(desk.Ask(policy).jobs.size(), 1U);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(QueuePolicy, ARefusedJobKeepsItsPlaceInTheQueue) {
  Desk desk;
  Queue policy;
  std::vector<JobId> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(desk.Submit(1.0, 20.0, 4, 4));
  desk.Refuse(jobs[0]);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(jobs[3]));
  desk.Obey(jobs[0]);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(jobs[0]));
  EXPECT_FALSE(desk.Runs(jobs[4]));
}

TEST(QueuePolicy, JobsThatRunAtTheFirstCallAreNotStartedAgain) {
  Desk desk;
  Queue before;
  const JobId job = desk.Submit(1.0, 20.0, 4, 4);
  desk.Ask(before);
  ASSERT_TRUE(desk.Runs(job));
  const JobId waits = desk.Submit(1.0, 20.0, 4, 4);
  desk.RestartPolicy();
  Queue after;
  const Decision& decision = desk.Ask(after);
  ASSERT_EQ(decision.jobs.size(), 1U);
  EXPECT_EQ(decision.jobs[0].job, waits);
}

TEST(QueuePolicy, AJobThatIsStartingWhenThePolicyIsRestartedIsLeftAlone) {
  Desk desk;
  Queue policy;
  const JobId job = desk.Submit(1.0, 20.0);
  desk.job(job).phase = Phase::kStarting;
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
}

TEST(QueuePolicy, HeldJobsWaitUntilTheyAreReleased) {
  Desk desk;
  Queue policy;
  const JobId job = desk.Submit(1.0, 20.0);
  desk.Hold(job);
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
  desk.Release(job);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(QueuePolicy, AJobThatIsHeldInTheQueueDoesNotBlockIt) {
  Desk desk;
  Queue policy;
  std::vector<JobId> jobs;
  for (int i = 0; i < 6; ++i) jobs.push_back(desk.Submit(1.0, 20.0, 4, 4));
  desk.Ask(policy);
  desk.Hold(jobs[4]);
  desk.End(jobs[0]);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(jobs[5]));
}

TEST(QueuePolicy, AnInterruptedJobComesBackInItsTurn) {
  Desk desk;
  Queue policy;
  std::vector<JobId> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(desk.Submit(1.0, 20.0, 4, 4));
  desk.Ask(policy);
  desk.Interrupt(jobs[1]);
  const Decision& decision = desk.Ask(policy);
  ASSERT_EQ(decision.jobs.size(), 1U);
  EXPECT_EQ(decision.jobs[0].job, jobs[1]);
  // It continues in the group where it began.
  EXPECT_EQ(decision.jobs[0].setting->group, *desk.job(jobs[1]).home);
}

TEST(QueuePolicy, AJobThatFitsNowhereDoesNotBlockTheQueue) {
  Desk desk;
  Queue policy;
  desk.SubmitUnmeasured(1.0, 20.0, 9);
  const JobId job = desk.Submit(1.0, 20.0);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(QueuePolicy, JobsBehindPassOnlyWhereTheFirstDoesNotBlock) {
  for (const bool blocks : {true, false}) {
    Desk desk;
    Queue policy(blocks);
    for (int i = 0; i < 3; ++i) desk.Submit(1.0, 20.0, 4, 4);
    desk.Submit(1.0, 20.0, 2, 2);
    const JobId big = desk.Submit(1.0, 20.0, 4, 4);
    const JobId small = desk.Submit(1.0, 20.0, 1, 1);
    desk.Ask(policy);
    EXPECT_FALSE(desk.Runs(big));
    EXPECT_EQ(desk.Runs(small), !blocks);
    desk.End(0);
    desk.Ask(policy);
    EXPECT_TRUE(desk.Runs(big));
    EXPECT_TRUE(desk.Runs(small));
  }
}

// Four jobs fill the slow group, where the service has no replica yet.
class QueueWithServiceTest : public ::testing::Test {
 protected:
  QueueWithServiceTest() {
    desk_.AddService(1.0);
    desk_.SetServing(0, {0, 1, 0});
    for (int i = 0; i < 4; ++i) {
      const JobId job = desk_.Submit(1.0, 40.0, 2, 2);
      desk_.job(job).phase = Phase::kRunning;
      desk_.job(job).setting = {0, 5};
      desk_.job(job).home = 0;
      jobs_.push_back(job);
    }
  }
  static std::vector<JobId> StopsOf(const Decision& decision) {
    std::vector<JobId> stopped;
    for (const JobOrder& order : decision.jobs) {
      if (!order.setting) stopped.push_back(order.job);
    }
    return stopped;
  }

  Desk desk_;
  Queue policy_;
  std::vector<JobId> jobs_;
};

TEST_F(QueueWithServiceTest, TheLatestJobToStartMakesRoom) {
  const Decision& decision = desk_.Ask(policy_);
  EXPECT_EQ(StopsOf(decision), std::vector<JobId>{jobs_[3]});
  EXPECT_EQ(decision.jobs[0].why.kind, Reason::Kind::kService);
  EXPECT_FALSE(desk_.Runs(jobs_[3]));
}

TEST_F(QueueWithServiceTest, AStopThatWasRefusedLeavesTheJobRunning) {
  desk_.Refuse(jobs_[3]);
  EXPECT_EQ(StopsOf(desk_.Ask(policy_)), std::vector<JobId>{jobs_[3]});
  ASSERT_TRUE(desk_.Runs(jobs_[3]));
  // It is not started when GPUs become free, because it still runs.
  for (std::size_t i = 0; i < 2; ++i) desk_.End(jobs_[i]);
  for (const JobOrder& order : desk_.Ask(policy_).jobs) EXPECT_FALSE(order.setting.has_value());
  EXPECT_TRUE(desk_.Runs(jobs_[3]));
}

TEST_F(QueueWithServiceTest, AStoppedJobStartsAgainWhenThereIsRoom) {
  desk_.Ask(policy_);
  ASSERT_FALSE(desk_.Runs(jobs_[3]));
  desk_.End(jobs_[0]);
  desk_.Ask(policy_);
  EXPECT_TRUE(desk_.Runs(jobs_[3]));
}

TEST_F(QueueWithServiceTest, JobsThatMayNotStopAreNotStopped) {
  desk_.can().suspend = desk_.can().requeue = false;
  EXPECT_TRUE(StopsOf(desk_.Ask(policy_)).empty());
}

TEST(QueuePolicy, RetunesRunningJobsWhenASlotBegins) {
  Desk desk;
  Queue policy(true, true);
  const JobId job = desk.Submit(1.0, 20.0);
  desk.Ask(policy);
  const RunSetting before = desk.job(job).setting;
  desk.MoveTo(0.5);
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
  desk.MoveTo(1.0);
  desk.Ask(policy);
  EXPECT_NE(desk.job(job).setting, before);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(QueuePolicy, RetunesNothingWherePowerCannotBeCapped) {
  Desk desk;
  desk.can().cap_power = false;
  Queue policy(true, true);
  desk.Submit(1.0, 20.0);
  desk.Ask(policy);
  desk.MoveTo(1.0);
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
}

}  // namespace
}  // namespace heliostat::policy::testing
