#include "heliostat/control/policy/replan_trigger.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

class ReplanTriggerTest : public ::testing::Test {
 protected:
  bool IsDue(const PlanStanding& standing = {}) {
    bool due = false;
    desk_.Show([&](const Observation& observation) { due = trigger_.IsDue(observation, standing); });
    return due;
  }
  void Plan() {
    desk_.Show([&](const Observation& observation) { trigger_.Reset(observation); });
  }
  // Multiplies the carbon intensity of all slots from now on.
  void ScaleCarbon(double factor) {
    for (std::size_t slot = desk_.site().SlotAt(desk_.now()); slot < 48; ++slot) desk_.SetCarbon(slot, 300.0 * factor);
  }

  Desk desk_;
  ReplanTrigger trigger_;
};

TEST_F(ReplanTriggerTest, AsksForAFirstPlanAtOnce) {
  EXPECT_TRUE(IsDue());
  desk_.MoveTo(0.3);
  EXPECT_TRUE(IsDue());
}

TEST_F(ReplanTriggerTest, WithoutNewsOrTimePassedKeepsThePlan) {
  Plan();
  EXPECT_FALSE(IsDue());
  EXPECT_FALSE(trigger_.deferred_until().has_value());
}

TEST_F(ReplanTriggerTest, WithoutNewsKeepsThePlanForADay) {
  Plan();
  for (double hour = 0.25; hour < 24.0; hour += 0.25) {
    desk_.MoveTo(hour);
    EXPECT_FALSE(IsDue()) << hour;
  }
  desk_.MoveTo(24.0);
  EXPECT_TRUE(IsDue());
}

TEST_F(ReplanTriggerTest, WithKnownArrivalsDoesNotPlanDaily) {
  scenario::Job job;
  job.submit = desk_.now() + 1h;
  desk_.Announce(job);
  Plan();
  desk_.MoveTo(30.0);
  EXPECT_FALSE(IsDue());
}

TEST_F(ReplanTriggerTest, NewsWaitsForThePauseToEnd) {
  Plan();
  trigger_.TakeNews();
  desk_.MoveTo(1.0 / 60.0);
  EXPECT_FALSE(IsDue());
  // A twelfth of the slot of an hour.
  EXPECT_EQ(trigger_.deferred_until(), desk_.site().start + 5min);
  desk_.MoveTo(5.0 / 60.0);
  EXPECT_TRUE(IsDue());
}

TEST_F(ReplanTriggerTest, APlanKnowsAllNews) {
  Plan();
  trigger_.TakeNews();
  EXPECT_FALSE(IsDue());
  Plan();
  EXPECT_FALSE(trigger_.deferred_until().has_value());
  desk_.MoveTo(0.9);
  EXPECT_FALSE(IsDue());
}

TEST_F(ReplanTriggerTest, ThePauseGrowsWithJobsUpToASlot) {
  Plan();
  trigger_.TakeNews();
  EXPECT_FALSE(IsDue({.jobs = 60}));
  EXPECT_EQ(trigger_.deferred_until(), desk_.now() + 10min);
  EXPECT_FALSE(IsDue({.jobs = 100000}));
  EXPECT_EQ(trigger_.deferred_until(), desk_.now() + 1h);
}

TEST_F(ReplanTriggerTest, AnUrgentJobPlansAtOnce) {
  Plan();
  trigger_.TakeNews();
  EXPECT_FALSE(IsDue({.least_slack = Seconds{600.0}}));
  EXPECT_TRUE(IsDue({.least_slack = Seconds{599.0}}));
  EXPECT_TRUE(IsDue({.least_slack = Seconds{-5.0}}));
}

TEST_F(ReplanTriggerTest, ATightJobThatThePlanExpectedIsNoReason) {
  Plan();
  EXPECT_FALSE(IsDue({.least_slack = Seconds{0.0}}));
}

TEST_F(ReplanTriggerTest, AnInterruptedJobPlansAtOnce) {
  const JobId job = desk_.Submit(1.0, 2.0);
  Plan();
  trigger_.TakeNews();
  EXPECT_FALSE(IsDue());
  desk_.Interrupt(job);
  EXPECT_TRUE(IsDue());
}

TEST_F(ReplanTriggerTest, APlanThatHasRunOutIsReplacedAfterThePause) {
  Plan();
  EXPECT_FALSE(IsDue({.has_run_out = true}));
  desk_.MoveTo(0.1);
  EXPECT_TRUE(IsDue({.has_run_out = true}));
}

TEST_F(ReplanTriggerTest, AForecastThatHasHardlyMovedIsTheSame) {
  Plan();
  desk_.MoveTo(1.0);
  ScaleCarbon(1.039);
  EXPECT_FALSE(IsDue());
  ScaleCarbon(0.961);
  EXPECT_FALSE(IsDue());
}

TEST_F(ReplanTriggerTest, AForecastThatHasMovedPlansWhenASlotBegins) {
  Plan();
  ScaleCarbon(1.05);
  desk_.MoveTo(0.5);
  EXPECT_FALSE(IsDue());
  desk_.MoveTo(1.0);
  EXPECT_TRUE(IsDue());
  Plan();
  desk_.MoveTo(2.0);
  EXPECT_FALSE(IsDue());
}

TEST_F(ReplanTriggerTest, ForecastsAreFollowedAtAQuarterOfThePaceOfJobs) {
  Plan();
  ScaleCarbon(2.0);
  desk_.MoveTo(1.0);
  // 100 jobs make the pause 1000 s, and four of them more than an hour.
  EXPECT_FALSE(IsDue({.jobs = 100}));
  desk_.MoveTo(2.0);
  EXPECT_TRUE(IsDue({.jobs = 100}));
}

TEST_F(ReplanTriggerTest, SlotsThatPassAreNoMoveOfTheForecast) {
  // A correct forecast: the values of each slot stay, although the first slot changes every hour.
  for (std::size_t slot = 0; slot < 48; ++slot) desk_.SetCarbon(slot, 100.0 + 20.0 * static_cast<double>(slot));
  Plan();
  for (int hour = 1; hour < 24; ++hour) {
    desk_.MoveTo(hour);
    EXPECT_FALSE(IsDue()) << hour;
  }
}

TEST(ReplanTrigger, FollowsPricesToo) {
  Desk desk(std::vector<double>(24, 300.0), std::vector<double>(24, 0.2));
  ReplanTrigger trigger;
  const auto is_due = [&] {
    bool due = false;
    desk.Show([&](const Observation& observation) { due = trigger.IsDue(observation, {}); });
    return due;
  };
  desk.Show([&](const Observation& observation) { trigger.Reset(observation); });
  desk.MoveTo(1.0);
  EXPECT_FALSE(is_due());
  for (std::size_t slot = 1; slot < 24; ++slot) desk.SetPrice(slot, 0.21);
  EXPECT_TRUE(is_due());
}

}  // namespace
}  // namespace heliostat::policy::testing
