#include "heliostat/control/policy/due_table.h"

#include <gtest/gtest.h>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

using namespace std::chrono_literals;

class DueBookTest : public ::testing::Test {
 protected:
  Instant At(Duration after) const { return desk_.site().start + after; }
  // Enters every job that has arrived since the last call.
  std::size_t EnterAll() {
    std::size_t entered = 0;
    Show([&](const Observation& observation) {
      for (const JobId job : observation.arrived) entered += book_.Enter(observation, choices_, job) ? 1 : 0;
    });
    return entered;
  }
  std::vector<JobId> Forget() {
    std::vector<JobId> forgotten;
    Show([&](const Observation& observation) { forgotten = book_.Forget(observation); });
    return forgotten;
  }
  std::vector<Due> Dues(const DueTable& book) {
    std::vector<Due> dues;
    Show([&](const Observation& observation) { dues = book.Dues(observation, choices_); });
    return dues;
  }
  std::vector<Due> Dues() { return Dues(book_); }
  template <typename Look>
  void Show(const Look& look) {
    desk_.Show([&](const Observation& observation) {
      choices_.Follow(observation);
      look(observation);
    });
  }

  Desk desk_;
  ChoiceTable choices_;
  CourseTable courses_;
  DueTable book_{24h, Means::kAll, true};
};

TEST_F(DueBookTest, KeepsAMarginBeforeADeadlineThatIsFar) {
  desk_.Submit(2.0, 10.0);
  EnterAll();
  ASSERT_EQ(Dues().size(), 1U);
  EXPECT_EQ(Dues()[0].by, At(10h - 10min));
}

TEST_F(DueBookTest, KeepsAQuarterOfTheTimeToSpareBeforeADeadlineThatIsNear) {
  // An hour on the fast group, due 20 minutes after that.
  desk_.Submit(2.0, 80.0 / 60.0);
  EnterAll();
  EXPECT_EQ(Dues()[0].by, At(75min));
}

TEST_F(DueBookTest, GivesUpTheMarginBeforeTheDeadlineButNoMoreOfItThanItMust) {
  desk_.Submit(2.0, 80.0 / 60.0);
  EnterAll();
  desk_.MoveTo(17.0 / 60.0);
  EXPECT_EQ(Dues()[0].by, At(17min + 3600s + 36s + 30s));
  desk_.MoveTo(19.5 / 60.0);
  EXPECT_EQ(Dues()[0].by, At(80min));
}

TEST_F(DueBookTest, AJobThatRunsNeedsNoTimeToResume) {
  const JobId job = desk_.Submit(2.0, 62.0 / 60.0);
  desk_.job(job).asked.resume = 10min;
  EnterAll();
  desk_.job(job).phase = Phase::kRunning;
  desk_.job(job).home = 1;
  desk_.job(job).setting = {1, kOneAt300W};
  desk_.job(job).since = desk_.now();
  EXPECT_EQ(Dues()[0].by, At(62min));
}

TEST_F(DueBookTest, KeepsNoMarginWhereNothingCanSurprise) {
  desk_.SetCertain();
  desk_.Submit(2.0, 10.0);
  EnterAll();
  EXPECT_EQ(Dues()[0].by, At(10h));
}

TEST_F(DueBookTest, KeepsTimeToReactWhereThatIsStillPossible) {
  // An hour on the fast group; three plans of five minutes fit between the end and the deadline.
  desk_.SetPlanningTime(Duration{5min});
  desk_.Submit(2.0, 10.0);
  EnterAll();
  EXPECT_EQ(Dues()[0].by, At(10h - 25min));
  desk_.MoveTo(8.6);  // too late for `early`, not for `latest`
  EXPECT_EQ(Dues()[0].by, At(516min + std::chrono::ceil<Duration>(Seconds{3900.0 * 1.01 + 30.0})));
  desk_.MoveTo(8.8);  // too late for `latest` as well: the shortest time
  EXPECT_EQ(Dues()[0].by, desk_.site().start + 528min + std::chrono::ceil<Duration>(Seconds{3900.0 * 1.01 + 30.0}));
}

TEST_F(DueBookTest, AJobThatIsLateIsDueAsSoonAsItCanBe) {
  desk_.Submit(2.0, 0.5);
  EnterAll();
  EXPECT_EQ(Dues()[0].by, At(3600s + 36s + 30s));
}

TEST_F(DueBookTest, NothingIsDueAfterTheHorizon) {
  desk_.Submit(2.0, 100.0);
  EnterAll();
  EXPECT_EQ(Dues()[0].by, At(48h));
}

TEST_F(DueBookTest, WithoutADeadlineAJobMayWaitAsLongAsPatienceLasts) {
  desk_.Submit(2.0, std::nullopt);
  EnterAll();
  EXPECT_EQ(Dues()[0].by, At(24h + 1h - 10min));
}

TEST_F(DueBookTest, ARestartDoesNotGiveAJobMoreTime) {
  desk_.Submit(2.0, std::nullopt);
  EnterAll();
  const Instant by = Dues()[0].by;
  desk_.MoveTo(5.0);
  desk_.RestartPolicy();
  DueTable restarted{24h, Means::kAll, true};
  Show([&](const Observation& observation) { restarted.Enter(observation, choices_, observation.arrived[0]); });
  EXPECT_EQ(Dues(restarted)[0].by, by);
}

TEST_F(DueBookTest, ByDefaultSettingsAJobNeedsItsDefaultTime) {
  // Begun on the slow group, where it takes two hours.
  const JobId job = desk_.Submit(2.0, 1.0);
  desk_.job(job).home = 0;
  DueTable by_default{24h, Means::kDefault, false};
  Show([&](const Observation& observation) { by_default.Enter(observation, choices_, job); });
  EXPECT_EQ(Dues(by_default)[0].by, At(7200s + 72s + 30s));
}

TEST_F(DueBookTest, LeavesAloneWhatIsHeldOverOrFitsNowhere) {
  desk_.Hold(desk_.Submit(1.0, 5.0));
  desk_.job(desk_.Submit(1.0, 5.0)).phase = Phase::kCancelled;
  desk_.SubmitUnmeasured(1.0, 5.0, 9);
  EXPECT_EQ(EnterAll(), 0U);
  EXPECT_TRUE(Dues().empty());
}

TEST_F(DueBookTest, ForgetsWhatHasEndedIsGoneOrIsHeld) {
  const JobId done = desk_.Submit(1.0, 5.0);
  const JobId held = desk_.Submit(1.0, 5.0);
  const JobId lives = desk_.Submit(1.0, 5.0);
  EnterAll();
  desk_.End(done);
  desk_.Hold(held);
  EXPECT_EQ(Forget(), (std::vector<JobId>{done, held}));
  EXPECT_TRUE(Forget().empty());
  ASSERT_EQ(Dues().size(), 1U);
  EXPECT_EQ(Dues()[0].job, lives);
}

TEST_F(DueBookTest, ExpectedJobsComeLastWithTimeToFinish) {
  scenario::Job expected;
  expected.id = "soon";
  expected.model = "m";
  expected.submit = At(2h);
  expected.deadline = At(2h + 1min);
  expected.samples = 200.0 * 3600.0;
  desk_.Announce(expected);
  desk_.Submit(1.0, 5.0);
  EnterAll();
  const std::vector<Due> dues = Dues();
  ASSERT_EQ(dues.size(), 2U);
  ASSERT_NE(dues[1].expected, nullptr);
  EXPECT_EQ(dues[1].expected->id, "soon");
  // Its deadline cannot be kept: an hour from its arrival, and a little more.
  EXPECT_EQ(dues[1].by, At(2h) + std::chrono::ceil<Duration>(Seconds{3630.0 * 1.01}));
  desk_.MoveTo(2.0);
  EXPECT_EQ(Dues().size(), 1U);
}

TEST_F(DueBookTest, AnExpectedJobWithHardlyAnyTimeToSpareKeepsItsDeadline) {
  scenario::Job expected;
  expected.id = "soon";
  expected.model = "m";
  expected.submit = At(2h);
  expected.deadline = At(3h + 2s);
  expected.samples = 200.0 * 3600.0;  // an hour
  desk_.Announce(expected);
  ASSERT_EQ(Dues().size(), 1U);
  EXPECT_EQ(Dues()[0].by, At(3h + 2s));
}

TEST_F(DueBookTest, AnExpectedJobThatMayWaitLongerThanTheHorizonIsDueAtItsEnd) {
  Instant horizon;
  Show([&](const Observation& observation) { horizon = observation.horizon; });
  scenario::Job expected;
  expected.id = "whenever";
  expected.model = "m";
  expected.submit = horizon - 5h;
  expected.samples = 200.0 * 3600.0;  // an hour, without a deadline
  desk_.Announce(expected);
  ASSERT_EQ(Dues().size(), 1U);
  EXPECT_EQ(Dues()[0].by, horizon);
  expected.id = "too long";
  expected.samples *= 100.0;
  desk_.Announce(expected);
  EXPECT_EQ(Dues().size(), 1U) << "it cannot be done in time";
}

TEST_F(DueBookTest, TheLeastSlackIsThatOfTheTightestNewcomer) {
  std::optional<Seconds> slack;
  const auto look = [&](const Observation& observation) {
    for (const JobId job : observation.arrived) book_.Enter(observation, choices_, job);
    slack = book_.LeastSlack(observation, choices_);
  };
  desk_.Submit(2.0, 10.0);
  desk_.Submit(2.0, 1.5);
  Show(look);
  EXPECT_EQ(slack, Seconds{1800.0});
  Show(look);
  EXPECT_EQ(slack, std::nullopt);
}

TEST_F(DueBookTest, TheJobDueFirstComesFirst) {
  const JobId late = desk_.Submit(1.0, 9.0);
  const JobId soon = desk_.Submit(1.0, 2.0);
  const JobId as_late = desk_.Submit(1.0, 9.0);
  EnterAll();
  EXPECT_EQ(book_.InOrder(), (std::vector<JobId>{soon, late, as_late}));
}

TEST_F(DueBookTest, AJobWithoutACourseRunsOut) {
  EXPECT_FALSE(book_.AnyRunsOut(courses_, At(0h)));
  desk_.Submit(1.0, 9.0);
  EnterAll();
  EXPECT_TRUE(book_.AnyRunsOut(courses_, At(0h)));
}

}  // namespace
}  // namespace heliostat::policy::testing
