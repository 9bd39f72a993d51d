#include "heliostat/control/policy/calendar_policy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

// Plans the most workers in two slots from `first` on, counted from the job's arrival.
class FromSlot : public CalendarPolicy {
 public:
  explicit FromSlot(std::size_t first, std::size_t length = 2) : CalendarPolicy({}), first_(first), length_(length) {}
  int calendars() const { return calendars_; }

 protected:
  Calendar Plan(const CalendarRequest& request) const override {
    ++calendars_;
    Calendar calendar(request.slots, 0);
    for (std::size_t i = first_; i < std::min(first_ + length_, request.slots); ++i) {
      calendar[i] = request.job.asked.max_workers;
    }
    return calendar;
  }

 private:
  std::size_t first_;
  std::size_t length_;
  mutable int calendars_ = 0;
};

TEST(CalendarPolicy, AJobRunsWhenItsCalendarSays) {
  Desk desk;
  FromSlot policy(1);
  const JobId job = desk.Submit(4.0, 20.0);
  std::vector<bool> runs;
  for (int hour = 0; hour < 4; ++hour) {
    desk.MoveTo(hour);
    desk.Ask(policy);
    runs.push_back(desk.Runs(job));
  }
  EXPECT_EQ(runs, (std::vector<bool>{false, true, true, false}));
}

TEST(CalendarPolicy, AJobThatIsLateInAnyCaseGoesLast) {
  Desk desk;
  FromSlot policy(0, 10);
  const JobId lost = desk.Submit(4.0, 1.0, 4, 4);  // takes two hours in the faster group
  std::vector<JobId> others;
  for (int i = 0; i < 4; ++i) others.push_back(desk.Submit(4.0, 8.0, 4, 4));
  desk.Ask(policy);
  EXPECT_FALSE(desk.Runs(lost));
  for (const JobId job : others) EXPECT_TRUE(desk.Runs(job));
}

TEST(CalendarPolicy, NoJobWaitsForACheaperTimeWhileGpusAreShort) {
  for (const int jobs : {4, 12}) {
    Desk desk;
    FromSlot policy(1);
    std::vector<JobId> all;
    for (int i = 0; i < jobs; ++i) all.push_back(desk.Submit(4.0, 9.0, 4, 4));
    desk.Ask(policy);
    const auto running = std::count_if(all.begin(), all.end(), [&](JobId job) { return desk.Runs(job); });
    EXPECT_EQ(running, jobs == 4 ? 0 : 4) << jobs;
  }
}

TEST(CalendarPolicy, AStartThatWasRefusedIsOrderedAgain) {
  Desk desk;
  FromSlot policy(0, 10);
  const JobId job = desk.Submit(4.0, 20.0);
  desk.Refuse(job);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(desk.Ask(policy).jobs.size(), 1U);
  desk.Obey(job);
  desk.Ask(policy);
  EXPECT_TRUE(desk.Runs(job));
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
}

TEST(CalendarPolicy, JobsThatRunAtTheFirstCallAreNotStartedAgain) {
  Desk desk;
  FromSlot before(0, 10);
  const JobId job = desk.Submit(4.0, 20.0);
  desk.Ask(before);
  ASSERT_TRUE(desk.Runs(job));
  desk.RestartPolicy();
  FromSlot after(0, 10);
  EXPECT_TRUE(desk.Ask(after).jobs.empty());
}

TEST(CalendarPolicy, AStopThatWasRefusedLeavesTheJobRunningAndIsOrderedAgain) {
  Desk desk;
  FromSlot policy(0, 1);
  const JobId job = desk.Submit(4.0, 20.0);
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));
  desk.Refuse(job);
  for (int hour = 1; hour < 3; ++hour) {
    desk.MoveTo(hour);
    const Decision& decision = desk.Ask(policy);
    ASSERT_EQ(decision.jobs.size(), 1U);
    EXPECT_FALSE(decision.jobs[0].setting.has_value());
    EXPECT_EQ(decision.jobs[0].why.kind, Reason::Kind::kBetterTime);
    EXPECT_TRUE(desk.Runs(job));
  }
}

TEST(CalendarPolicy, AJobThatMayNotStopRunsOnWhateverItsCalendarSays) {
  Desk desk;
  FromSlot policy(0, 1);
  const JobId job = desk.Submit(4.0, 20.0, 1, 1, false);
  desk.Ask(policy);
  desk.MoveTo(1.0);
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
  EXPECT_TRUE(desk.Runs(job));
}

TEST(CalendarPolicy, AJobThatWouldBeLateRunsWhateverItsCalendarSays) {
  Desk desk;
  FromSlot policy(5);
  const JobId job = desk.Submit(4.0, 2.9);  // two hours on the fast group
  desk.Ask(policy);
  ASSERT_TRUE(desk.Runs(job));
  EXPECT_EQ(desk.job(job).setting.group, 1U);
}

TEST(CalendarPolicy, AHeldJobWaitsAndMakesItsCalendarWhenReleased) {
  Desk desk;
  FromSlot policy(0);
  const JobId job = desk.Submit(2.0, 20.0);
  desk.Hold(job);
  EXPECT_TRUE(desk.Ask(policy).jobs.empty());
  EXPECT_EQ(policy.calendars(), 0);
  desk.Release(job);
  desk.Ask(policy);
  EXPECT_EQ(policy.calendars(), 1);
  EXPECT_TRUE(desk.Runs(job));
}

TEST(CalendarPolicy, WhereJobsWantTheSameGpusLeastSlackGoesFirstAndTheOtherTriesAgain) {
  Desk desk;
  FromSlot policy(0, 1);
  std::vector<JobId> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(desk.Submit(4.0, 40.0 - i, 4, 4));
  desk.Ask(policy);
  EXPECT_FALSE(desk.Runs(jobs[0]));
  for (int i = 1; i < 5; ++i) EXPECT_TRUE(desk.Runs(jobs[static_cast<std::size_t>(i)])) << i;
  EXPECT_EQ(policy.calendars(), 6);
}

TEST(CalendarPolicy, AJobKeepsItsWorkersWhereTheyCannotChange) {
  // Plans two workers first and four later.
  class Growing : public CalendarPolicy {
   public:
    Growing() : CalendarPolicy({}) {}

   protected:
    Calendar Plan(const CalendarRequest& request) const override {
      Calendar calendar(request.slots, 4);
      calendar[0] = 2;
      return calendar;
    }
  };
  for (const bool can_resize : {true, false}) {
    Desk desk;
    desk.can().requeue = desk.can().grow = can_resize;
    Growing policy;
    const JobId job = desk.Submit(8.0, 40.0, 1, 4);
    desk.Ask(policy);
    ASSERT_EQ(desk.PointOf(job).workers, 2);
    desk.MoveTo(1.0);
    desk.Ask(policy);
    EXPECT_EQ(desk.PointOf(job).workers, can_resize ? 4 : 2);
  }
}

class CalendarsTest : public ::testing::Test {
 protected:
  CalendarRequest Needing(Seconds need, std::size_t slots, Seconds left = 1h, Duration resume = 0s) {
    job_.asked.resume = resume;
    return {job_, choices_, 0, need, slots, left, Seconds(1h), forecast_};
  }

  Desk desk_;
  JobState job_;
  Choices choices_{desk_.site(), {}, {}};
  Forecast forecast_;
};

TEST_F(CalendarsTest, CheapestSlotsAreThoseWithTheLeastValues) {
  EXPECT_EQ(CheapestSlots(Needing(2h, 5), {5, 1, 4, 2, 3}, 4), (Calendar{0, 4, 0, 4, 0}));
  EXPECT_EQ(CheapestSlots(Needing(2h, 3), {7, 7, 7}, 1), (Calendar{1, 1, 0}));  // the earlier of equals
}

TEST_F(CalendarsTest, ThePresentSlotCountsAsLongAsItLasts) {
  EXPECT_EQ(CheapestSlots(Needing(1h, 3, 30min), {1, 2, 3}, 1), (Calendar{1, 1, 0}));
}

TEST_F(CalendarsTest, ASlotOnItsOwnCostsARestart) {
  EXPECT_EQ(CheapestSlots(Needing(2h, 4, 1h, 10min), {1, 9, 2, 8}, 1), (Calendar{1, 0, 1, 1}));
}

TEST_F(CalendarsTest, TheCheapestWindowIsInOnePiece) {
  EXPECT_EQ(CheapestWindow(Needing(2h, 6), {1, 9, 1, 3, 3, 9}, 2), (Calendar{0, 0, 2, 2, 0, 0}));
  // A need that does not fit takes all slots.
  EXPECT_EQ(CheapestWindow(Needing(9h, 3), {1, 2, 3}, 1), (Calendar{1, 1, 1}));
}

RC_GTEST_FIXTURE_PROP(CalendarsTest, NoWindowIsCheaperThanTheCheapestSlots, (std::vector<std::uint8_t> raw)) {
  std::vector<double> values(raw.begin(), raw.end());
  values.resize(values.size() + 3, 100.0);
  const int hours = *rc::gen::inRange(1, static_cast<int>(values.size()) + 1);
  const CalendarRequest request = Needing(hours * 1h, values.size());
  const auto sum = [&](const Calendar& calendar) {
    return std::inner_product(calendar.begin(), calendar.end(), values.begin(), 0.0);
  };
  const Calendar slots = CheapestSlots(request, values, 1);
  const Calendar window = CheapestWindow(request, values, 1);
  RC_ASSERT(std::accumulate(slots.begin(), slots.end(), 0) == hours);
  RC_ASSERT(std::accumulate(window.begin(), window.end(), 0) == hours);
  RC_ASSERT(sum(slots) <= sum(window));
}

}  // namespace
}  // namespace heliostat::policy::testing
