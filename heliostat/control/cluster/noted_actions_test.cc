#include "heliostat/control/cluster/noted_actions.h"

#include <gtest/gtest.h>

#include "heliostat/control/cluster/job_note.h"
#include "heliostat/control/cluster/testing/memory_stage.h"

namespace heliostat::cluster::testing {
namespace {

class NotedActionsTest : public ::testing::Test {
 protected:
  ActionResult Do(const JobKey& job, JobVerb verb) { return stage_.actions().Do({{job, std::move(verb)}})[0]; }
  JobRecord& Record(const JobKey& job) { return *memory_.Address(job.number, job.element); }
  Instant Later(int hours) const { return stage_.now() + std::chrono::hours(hours); }

  NotedStage stage_;
  FakeMechanism& memory_ = stage_.memory();
};

TEST_F(NotedActionsTest, WithoutAnAnswerTheResultIsNotKnownAndTheNextTryIsFree) {
  const JobKey job = stage_.Submit({});
  const Instant until = Later(3);
  memory_.are_orders_lost = true;
  EXPECT_EQ(Do(job, Park{until}).outcome, Outcome::kNotKnown);
  memory_.are_orders_lost = false;
  EXPECT_EQ(Do(job, Park{until}).outcome, Outcome::kDone);
}

TEST_F(NotedActionsTest, AnOrderThatIsLostBehindItsNoteIsNoChangeOfTheOwner) {
  const JobKey job = stage_.Submit({});
  int sent = 0;
  memory_.before_send = [&] { memory_.are_orders_lost = ++sent == 2; };
  EXPECT_EQ(Do(job, Order{9}).outcome, Outcome::kNotKnown);
  EXPECT_TRUE(ParseNote(Record(job).admin_comment));
  EXPECT_EQ(Record(job).nice, 0);
  EXPECT_EQ(Do(job, Order{9}).outcome, Outcome::kDone);
  EXPECT_EQ(Record(job).nice, 9);
}

TEST_F(NotedActionsTest, ALostParkIsTakenUpByAnotherObject) {
  const JobKey job = stage_.Submit({});
  const Instant first = Later(2);
  ASSERT_EQ(Do(job, Park{first}).outcome, Outcome::kDone);
  int sent = 0;
  memory_.before_send = [&] { memory_.are_orders_lost = ++sent == 2; };
  EXPECT_EQ(Do(job, Park{Later(5)}).outcome, Outcome::kNotKnown);
  EXPECT_EQ(Record(job).begin, first);
  stage_.Restart();
  const Instant second = Later(5);
  EXPECT_EQ(Do(job, Park{second}).outcome, Outcome::kDone);
  EXPECT_EQ(Record(job).begin, second);
}

TEST_F(NotedActionsTest, AMissingRightIsMetOnceAndThenLeftOut) {
  const JobKey job = stage_.Submit({});
  memory_.rights.jobs = false;
  EXPECT_EQ(Do(job, Park{Later(2)}).outcome, Outcome::kNoRight);
  bool was_sent = false;
  memory_.before_send = [&] { was_sent = true; };
  EXPECT_EQ(Do(job, Park{Later(2)}).outcome, Outcome::kNoRight);
  EXPECT_FALSE(was_sent);
  memory_.rights.jobs = true;
  EXPECT_EQ(stage_.actions().AskRights().jobs, true);
  EXPECT_EQ(Do(job, Park{Later(2)}).outcome, Outcome::kDone);
}

TEST_F(NotedActionsTest, WithoutTheRightToANegativeNiceTheRestIsDone) {
  const JobKey job = stage_.Submit({});
  memory_.rights.negative_nice = false;
  EXPECT_EQ(Do(job, Order{-5}).outcome, Outcome::kNoRight);
  EXPECT_EQ(Record(job).admin_comment, "");  // the note of what was refused is taken back
  EXPECT_EQ(Do(job, Order{5}).outcome, Outcome::kDone);
  EXPECT_EQ(Do(job, Park{Later(2)}).outcome, Outcome::kDone);
}

TEST_F(NotedActionsTest, WithoutRightsNodesAreLeftAlone) {
  memory_.rights.nodes = false;
  memory_.rights.reservations = false;
  EXPECT_EQ(stage_.actions().PowerDown({"gpu1"})[0].outcome, Outcome::kNoRight);
  EXPECT_EQ(stage_.actions().PowerDown({"gpu1"})[0].outcome, Outcome::kNoRight);
  memory_.nodes.nodes[0].state = NodeState::kAsleep;
  EXPECT_EQ(stage_.actions().SetPin({"night", {"gpu1"}, Later(1)}).outcome, Outcome::kNoRight);
}

TEST_F(NotedActionsTest, AJobThatStartsBeforeTheCommandIsInAWrongState) {
  const JobKey job = stage_.Submit({});
  int sent = 0;
  memory_.before_send = [&] {
    if (++sent == 2) Record(job).state = JobState::kRunning;
  };
  EXPECT_EQ(Do(job, Park{Later(2)}).outcome, Outcome::kWrongState);
  EXPECT_EQ(Record(job).admin_comment, "");
}

TEST_F(NotedActionsTest, ANumberThatIsGivenAgainBetweenTwoCommandsIsNotTouchedAgain) {
  const JobKey job = stage_.Submit({});
  int sent = 0;
  memory_.before_send = [&] {
    if (++sent != 1) return;
    Record(job).key.submit += Duration(1);
    Record(job).admin_comment.clear();
  };
  EXPECT_EQ(Do(job, Park{Later(2)}).outcome, Outcome::kNotThatJob);
  EXPECT_EQ(sent, 1);
}

TEST_F(NotedActionsTest, ARequeueEndsAParkAndKeepsTheOrder) {
  const JobKey first = stage_.Submit({});
  ASSERT_EQ(Do(first, Order{5}).outcome, Outcome::kDone);
  ASSERT_EQ(Do(first, Park{Later(2)}).outcome, Outcome::kDone);
  Record(first).state = JobState::kRunning;
  ASSERT_EQ(Do(first, Requeue{}).outcome, Outcome::kDone);
  JobKey second = first;
  second.submit = Record(first).key.submit;
  ASSERT_NE(first, second);
  EXPECT_EQ(Do(first, Park{Later(2)}).outcome, Outcome::kNotThatJob);
  EXPECT_EQ(Do(second, Park{Later(2)}).outcome, Outcome::kDone);
  EXPECT_EQ(Do(second, Release{}).outcome, Outcome::kDone);
  EXPECT_EQ(Record(second).nice, 0);
}

TEST_F(NotedActionsTest, ParkingPastTheOwnersDeadlineIsRefused) {
  const JobKey job = stage_.Submit({});
  Record(job).kill_at = Later(2);
  EXPECT_EQ(Do(job, Park{Later(2)}).outcome, Outcome::kOwnersLimit);
  EXPECT_EQ(Do(job, Park{Later(1)}).outcome, Outcome::kDone);
}

TEST_F(NotedActionsTest, EndedUnknownAndHeterogeneousJobsAreLeftAlone) {
  const JobKey job = stage_.Submit({});
  for (const JobState state : {JobState::kEnded, JobState::kUnknown, JobState::kCompleting, JobState::kStarting}) {
    Record(job).state = state;
    EXPECT_EQ(Do(job, Park{Later(2)}).outcome, Outcome::kWrongState) << NameOf(state);
  }
  Record(job).state = JobState::kWaiting;
  Record(job).is_heterogeneous = true;
  EXPECT_EQ(Do(job, Park{Later(2)}).outcome, Outcome::kWrongState);
}

TEST_F(NotedActionsTest, NodesOfOthersAreNotTouched) {
  ClusterNode& node = memory_.nodes.nodes[0];
  const auto expect = [&](Outcome down, Outcome up) {
    EXPECT_EQ(stage_.actions().PowerDown({"gpu1"})[0].outcome, down);
    EXPECT_EQ(stage_.actions().PowerUp({"gpu1"})[0].outcome, up);
  };
  node.is_reserved = true;
  expect(Outcome::kUntouchable, Outcome::kUntouchable);
  node.is_reserved = false;
  node.is_in_maintenance = true;
  expect(Outcome::kUntouchable, Outcome::kUntouchable);
  node.is_in_maintenance = false;
  memory_.nodes.reservations = {{"weekly", {"gpu1"}, Later(23)}};
  expect(Outcome::kUntouchable, Outcome::kUntouchable);
  memory_.nodes.reservations[0].begin = Later(30);
  node.state = NodeState::kMixed;
  expect(Outcome::kWrongState, Outcome::kAlreadySo);
  node.state = NodeState::kDown;
  expect(Outcome::kWrongState, Outcome::kWrongState);
  node.state = NodeState::kIdle;
  node.is_responding = false;
  expect(Outcome::kWrongState, Outcome::kAlreadySo);
  node.state = NodeState::kPoweringDown;
  expect(Outcome::kAlreadySo, Outcome::kWrongState);
  node.state = NodeState::kAsleep;
  expect(Outcome::kAlreadySo, Outcome::kDone);
}

TEST_F(NotedActionsTest, LostOrdersToNodesAreNotKnown) {
  memory_.are_orders_lost = true;
  EXPECT_EQ(stage_.actions().PowerDown({"gpu1"})[0].outcome, Outcome::kNotKnown);
  memory_.nodes.nodes[0].state = NodeState::kAsleep;
  EXPECT_EQ(stage_.actions().SetPin({"night", {"gpu1"}, Later(1)}).outcome, Outcome::kNotKnown);
}

}  // namespace
}  // namespace heliostat::cluster::testing
