#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "heliostat/control/cluster/job_note.h"
#include "heliostat/control/cluster/testing/actions_stage.h"

namespace heliostat::cluster::testing {

// The contract of every Actions. A new implementation gets these tests with one INSTANTIATE_TEST_SUITE_P.
class ActionsContract : public ::testing::TestWithParam<ActionsStageFactory> {
 protected:
  void SetUp() override {
    stage_ = GetParam()();
    ASSERT_NE(stage_, nullptr);
  }
  ActionResult Do(const JobKey& job, JobVerb verb) { return stage_->actions().Do({{job, std::move(verb)}})[0]; }
  void Expect(Outcome outcome, const JobKey& job, JobVerb verb) {
    const ActionResult result = Do(job, std::move(verb));
    EXPECT_EQ(NameOf(result.outcome), NameOf(outcome)) << NumberText(job) << ": " << result.why;
  }
  JobRecord Read(const JobKey& job) {
    const auto records = stage_->mechanism().Records({job.number});
    EXPECT_TRUE(records) << records.error().Line();
    for (const JobRecord& record : records ? *records : std::vector<JobRecord>{}) {
      if (record.key.element == job.element) return record;
    }
    ADD_FAILURE() << "no record of " << NumberText(job);
    return {};
  }
  Instant Later(int hours) const { return stage_->now() + std::chrono::hours(hours); }
  void ExpectSameLimits(const JobRecord& before, const JobRecord& after) {
    EXPECT_EQ(after.nice, before.nice);
    EXPECT_EQ(after.throttle, before.throttle);
    EXPECT_EQ(after.may_requeue, before.may_requeue);
    EXPECT_EQ(after.elements, before.elements);
    EXPECT_EQ(after.state, before.state);
    EXPECT_EQ(after.admin_comment, before.admin_comment);
    const bool waits_by_itself = before.begin && *before.begin > stage_->now();
    if (waits_by_itself) EXPECT_EQ(after.begin, before.begin);
    if (!waits_by_itself && after.begin) EXPECT_LE(*after.begin, stage_->now() + Duration(2));
  }

  std::unique_ptr<ActionsStage> stage_;
};

TEST_P(ActionsContract, AParkedJobIsReleasedFromTheClusterAlone) {
  const std::vector<StageJob> kinds{{},
                                    {.is_held = true},
                                    {.begin = std::chrono::hours(1)},
                                    {.is_held = true, .begin = std::chrono::hours(1)},
                                    {.has_dependency = true},
                                    {.may_requeue = false, .nice = 40},
                                    {.elements = 20, .throttle = 3},
                                    {.is_held = true, .elements = 5}};
  std::vector<JobAction> parks;
  std::vector<JobAction> releases;
  std::vector<JobRecord> before;
  const Instant until = Later(6);
  for (const StageJob& kind : kinds) {
    const JobKey job = stage_->Submit(kind);
    before.push_back(Read(job));
    parks.push_back({job, Park{until}});
    releases.push_back({job, Release{}});
  }
  const auto expect_all = [](const std::vector<ActionResult>& results, Outcome outcome) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_EQ(NameOf(results[i].outcome), NameOf(outcome)) << "job " << i << ": " << results[i].why;
    }
  };
  expect_all(stage_->actions().Do(releases), Outcome::kAlreadySo);
  expect_all(stage_->actions().Do(parks), Outcome::kDone);
  expect_all(stage_->actions().Do(parks), Outcome::kAlreadySo);
  for (std::size_t i = 0; i < parks.size(); ++i) {
    const JobRecord parked = Read(parks[i].job);
    EXPECT_EQ(parked.begin, until);
    EXPECT_EQ(parked.state, before[i].state);
    EXPECT_EQ(parked.elements, before[i].elements);
    ASSERT_TRUE(ParseNote(parked.admin_comment));
    EXPECT_EQ(ParseNote(parked.admin_comment)->begin->set, until);
  }
  stage_->Restart();
  expect_all(stage_->actions().Do(parks), Outcome::kAlreadySo);
  expect_all(stage_->actions().Do(releases), Outcome::kDone);
  expect_all(stage_->actions().Do(releases), Outcome::kAlreadySo);
  for (std::size_t i = 0; i < parks.size(); ++i) {
    SCOPED_TRACE(i);
    ExpectSameLimits(before[i], Read(parks[i].job));
  }
}

TEST_P(ActionsContract, AParkMovesInBothDirections) {
  const JobKey job = stage_->Submit({});
  Expect(Outcome::kDone, job, Park{Later(2)});
  Expect(Outcome::kDone, job, Park{Later(5)});
  const Instant until = Later(1);
  Expect(Outcome::kDone, job, Park{until});
  EXPECT_EQ(Read(job).begin, until);
  Expect(Outcome::kRefused, job, Park{Later(-1)});
  EXPECT_EQ(Read(job).begin, until);
}

TEST_P(ActionsContract, TextOfOthersStays) {
  const JobKey job = stage_->Submit({});
  const std::string text = "ticket 17  \"a\" 'b' --nice=5\nupdate JobId=1 Nice=9\n heliostat:odd \x01 \xff;=,";
  stage_->ChangeAsOther(job, {.admin_comment = text});
  Expect(Outcome::kDone, job, Park{Later(2)});
  EXPECT_EQ(Read(job).admin_comment.substr(0, text.size()), text);
  Expect(Outcome::kDone, job, Annotate{"planned at 5 o'clock\n\xfe"});
  EXPECT_EQ(AnnotationIn(Read(job).admin_comment), "planned at 5 o'clock\n\xfe");
  Expect(Outcome::kAlreadySo, job, Annotate{"planned at 5 o'clock\n\xfe"});
  Expect(Outcome::kDone, job, Annotate{""});
  stage_->Restart();
  Expect(Outcome::kDone, job, Release{});
  EXPECT_EQ(Read(job).admin_comment, text);
}

TEST_P(ActionsContract, AnOwnerWhoChangesHisJobWins) {
  const JobKey moved = stage_->Submit({});
  Expect(Outcome::kDone, moved, Park{Later(6)});
  Expect(Outcome::kDone, moved, Order{7});
  const Instant own = Later(3);
  stage_->ChangeAsOther(moved, {.begin = RecordChange::Begin{own}});
  Expect(Outcome::kOwnerChanged, moved, Park{Later(6)});
  EXPECT_EQ(Read(moved).begin, own);
  EXPECT_EQ(Read(moved).nice, 0);  // the rest is the owner's again
  stage_->Restart();
  for (const JobVerb& verb : {JobVerb{Park{Later(6)}}, JobVerb{Order{7}}, JobVerb{StartNow{}}}) {
    Expect(Outcome::kOwnerChanged, moved, verb);
  }
  Expect(Outcome::kAlreadySo, moved, Release{});
  EXPECT_EQ(Read(moved).begin, own);

  const JobKey reordered = stage_->Submit({});
  const Instant until = Later(6);
  Expect(Outcome::kDone, reordered, Order{7});
  Expect(Outcome::kDone, reordered, Park{until});
  stage_->ChangeAsOther(reordered, {.nice = 3});
  stage_->Restart();
  Expect(Outcome::kOwnerChanged, reordered, Order{7});
  EXPECT_EQ(Read(reordered).nice, 3);
  EXPECT_NE(Read(reordered).begin, until);
}

TEST_P(ActionsContract, LimitsOfTheOwnerAreNotLoosened) {
  const JobKey later = stage_->Submit({.begin = std::chrono::hours(2)});
  const auto begin = Read(later).begin;
  Expect(Outcome::kOwnersLimit, later, Park{Later(1)});
  Expect(Outcome::kOwnersLimit, later, StartNow{});
  EXPECT_EQ(Read(later).begin, begin);
  Expect(Outcome::kDone, later, Park{Later(3)});
  Expect(Outcome::kOwnersLimit, later, StartNow{});
  EXPECT_EQ(Read(later).begin, begin);

  const JobKey held = stage_->Submit({.is_held = true});
  Expect(Outcome::kDone, held, Park{Later(3)});
  Expect(Outcome::kOwnersLimit, held, StartNow{});
  EXPECT_EQ(Read(held).state, JobState::kHeld);

  const JobKey modest = stage_->Submit({.nice = 50});
  Expect(Outcome::kOwnersLimit, modest, Order{10});
  Expect(Outcome::kDone, modest, Order{60});
  Expect(Outcome::kOwnersLimit, modest, Order{49});
  EXPECT_EQ(Read(modest).nice, 60);

  const JobKey array = stage_->Submit({.elements = 9, .throttle = 4});
  Expect(Outcome::kOwnersLimit, array, Throttle{5});
  Expect(Outcome::kOwnersLimit, array, Throttle{0});
  EXPECT_EQ(Read(array).throttle, 4);

  const JobKey once = stage_->Submit({.runs = true, .may_requeue = false});
  Expect(Outcome::kOwnersLimit, once, Requeue{});
  EXPECT_EQ(Read(once).state, JobState::kRunning);
}

TEST_P(ActionsContract, OrdersThrottlesAndStarts) {
  const JobKey job = stage_->Submit({});
  Expect(Outcome::kDone, job, Order{-5});
  Expect(Outcome::kAlreadySo, job, Order{-5});
  Expect(Outcome::kDone, job, Park{Later(2)});
  Expect(Outcome::kDone, job, StartNow{});
  EXPECT_LE(Read(job).begin, stage_->now() + Duration(2));
  Expect(Outcome::kAlreadySo, job, StartNow{});
  EXPECT_EQ(Read(job).nice, -5);
  Expect(Outcome::kDone, job, Order{0});
  EXPECT_EQ(Read(job).admin_comment, "");

  const JobKey array = stage_->Submit({.elements = 9, .throttle = 4});
  Expect(Outcome::kDone, array, Throttle{1});
  EXPECT_EQ(Read(array).throttle, 1);
  Expect(Outcome::kAlreadySo, array, Throttle{1});
  Expect(Outcome::kWrongState, job, Throttle{1});
  stage_->Restart();
  Expect(Outcome::kDone, array, Release{});
  EXPECT_EQ(Read(array).throttle, 4);
}

TEST_P(ActionsContract, OneElementIsTakenOutOfAnArray) {
  const JobKey array = stage_->Submit({.elements = 4});
  JobKey second = array;
  second.element = 2;
  const Instant until = Later(2);
  Expect(Outcome::kDone, second, Park{until});
  EXPECT_EQ(Read(second).begin, until);
  EXPECT_THAT(Read(array).elements, ::testing::ElementsAre(1, 3, 4));
  EXPECT_NE(Read(array).begin, until);
  EXPECT_EQ(Read(array).admin_comment, "");
  Expect(Outcome::kDone, array, Park{until});
  Expect(Outcome::kDone, second, Release{});
  EXPECT_NE(Read(second).begin, until);
  EXPECT_EQ(Read(array).begin, until);
  JobKey fifth = array;
  fifth.element = 5;
  Expect(Outcome::kNotThatJob, fifth, Park{until});
}

TEST_P(ActionsContract, SuspendsResumesAndRequeues) {
  const JobKey job = stage_->Submit({.runs = true});
  Expect(Outcome::kWrongState, job, Park{Later(2)});
  Expect(Outcome::kAlreadySo, job, Resume{});
  Expect(Outcome::kDone, job, Suspend{});
  Expect(Outcome::kAlreadySo, job, Suspend{});
  EXPECT_EQ(Read(job).state, JobState::kSuspended);
  stage_->Restart();
  Expect(Outcome::kDone, job, Resume{});
  EXPECT_EQ(Read(job).state, JobState::kRunning);
  EXPECT_EQ(Read(job).admin_comment, "");
  Expect(Outcome::kDone, job, Suspend{});
  Expect(Outcome::kDone, job, Release{});
  EXPECT_EQ(Read(job).state, JobState::kRunning);
  stage_->ChangeAsOther(job, {.signal = Signal::kSuspend});
  Expect(Outcome::kOwnersLimit, job, Resume{});
  Expect(Outcome::kOwnersLimit, job, Requeue{});
  Expect(Outcome::kAlreadySo, job, Release{});
  EXPECT_EQ(Read(job).state, JobState::kSuspended);
  stage_->ChangeAsOther(job, {.signal = Signal::kResume});
  Expect(Outcome::kDone, job, Requeue{});
  EXPECT_EQ(Read(job).restarts, 1);
}

TEST_P(ActionsContract, ANumberThatIsAnotherJobsIsNotTouched) {
  const JobKey job = stage_->Submit({});
  const JobRecord before = Read(job);
  JobKey other = job;
  other.submit -= Duration(1);
  for (const JobVerb& verb : {JobVerb{Park{Later(2)}}, JobVerb{Order{3}}, JobVerb{Release{}}, JobVerb{Annotate{"x"}}}) {
    Expect(Outcome::kNotThatJob, other, verb);
  }
  Expect(Outcome::kNotThatJob, {.number = 987'654, .element = {}, .submit = job.submit}, Park{Later(2)});
  ExpectSameLimits(before, Read(job));
}

TEST_P(ActionsContract, EachOfABatchHasItsOwnResult) {
  const JobKey waiting = stage_->Submit({});
  const JobKey running = stage_->Submit({.runs = true});
  const JobKey array = stage_->Submit({.elements = 3});
  JobKey element = array;
  element.element = 1;
  const JobKey gone{.number = 987'654, .element = {}, .submit = waiting.submit};
  const auto results = stage_->actions().Do({{waiting, Park{Later(2)}},
                                             {running, Park{Later(2)}},
                                             {gone, Park{Later(2)}},
                                             {array, Park{Later(3)}},
                                             {element, Release{}},
                                             {waiting, Order{5}}});
  std::vector<Outcome> outcomes;
  for (const ActionResult& result : results) outcomes.push_back(result.outcome);
  EXPECT_THAT(outcomes, ::testing::ElementsAre(Outcome::kDone, Outcome::kWrongState, Outcome::kNotThatJob,
                                               Outcome::kDone, Outcome::kNotSent, Outcome::kNotSent));
  EXPECT_TRUE(stage_->actions().Do({}).empty());
}

TEST_P(ActionsContract, SilenceIsNoSuccess) {
  const JobKey job = stage_->Submit({});
  stage_->BeSilent();
  Expect(Outcome::kNotSent, job, Park{Later(2)});
  EXPECT_EQ(stage_->actions().PowerDown({stage_->idle_node()})[0].outcome, Outcome::kNotSent);
  EXPECT_EQ(stage_->actions().SetPin({"quiet", {stage_->idle_node()}, Later(1)}).outcome, Outcome::kNotSent);
  EXPECT_FALSE(stage_->actions().Pins());
  stage_->Speak();
  Expect(Outcome::kDone, job, Park{Later(2)});
}

TEST_P(ActionsContract, NodesSleepAndArePinned) {
  Actions& actions = stage_->actions();
  const std::string node = stage_->idle_node();
  EXPECT_EQ(actions.SetPin({"awake", {node}, Later(1)}).outcome, Outcome::kWrongState);
  auto results = actions.PowerDown({node, stage_->draining_node(), "nowhere", "-h"});
  std::vector<Outcome> outcomes;
  for (const ActionResult& result : results) outcomes.push_back(result.outcome);
  EXPECT_THAT(outcomes, ::testing::ElementsAre(Outcome::kDone, Outcome::kUntouchable, Outcome::kUntouchable,
                                               Outcome::kUntouchable))
      << results[0].why;
  EXPECT_EQ(actions.PowerDown({node})[0].outcome, Outcome::kAlreadySo);
  const Pin pin{"night_1", {node}, Later(1)};
  EXPECT_EQ(actions.SetPin(pin).outcome, Outcome::kDone);
  EXPECT_EQ(actions.SetPin(pin).outcome, Outcome::kAlreadySo);
  EXPECT_EQ(actions.SetPin({"night_2", {node}, Later(1)}).outcome, Outcome::kRefused);
  EXPECT_EQ(actions.SetPin({"night_1", {stage_->draining_node()}, Later(1)}).outcome, Outcome::kRefused);
  const Pin renewed{"night_1", {node}, pin.until + Duration(1800)};
  stage_->Restart();
  EXPECT_EQ(stage_->actions().SetPin(renewed).outcome, Outcome::kDone);
  const auto pins = stage_->actions().Pins();
  ASSERT_TRUE(pins);
  EXPECT_THAT(*pins, ::testing::Contains(renewed));
  EXPECT_EQ(stage_->actions().RemovePin("night_1").outcome, Outcome::kDone);
  EXPECT_EQ(stage_->actions().RemovePin("night_1").outcome, Outcome::kAlreadySo);
  for (const std::string name : {"", "a b", "-x", "x;y", "\n"}) {
    EXPECT_EQ(stage_->actions().SetPin({name, {node}, Later(1)}).outcome, Outcome::kRefused);
  }
}

}  // namespace heliostat::cluster::testing
