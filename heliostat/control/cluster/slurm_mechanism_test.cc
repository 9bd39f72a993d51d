#include "heliostat/control/cluster/slurm_mechanism.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "heliostat/control/cluster/testing/toy_stage.h"

namespace heliostat::cluster::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class SlurmMechanismTest : public ::testing::Test {
 protected:
  std::vector<ActionResult> ParkAll(const std::vector<JobKey>& jobs) {
    std::vector<JobAction> actions;
    for (const JobKey& job : jobs) actions.push_back({job, Park{until_}});
    return stage_.actions().Do(actions);
  }
  std::vector<JobKey> SubmitSome(int count) {
    std::vector<JobKey> jobs;
    for (int i = 0; i < count; ++i) jobs.push_back(stage_.Submit({}));
    return jobs;
  }
  JobRecord& Record(const JobKey& job) { return *stage_.memory().Address(job.number, job.element); }

  ToyStage stage_;
  ToySlurm& slurm_ = stage_.slurm;
  Instant until_ = stage_.now() + std::chrono::hours(6);
};

TEST_F(SlurmMechanismTest, AHundredJobsAreTwoCommands) {
  for (const ActionResult& result : ParkAll(SubmitSome(100))) EXPECT_EQ(result.outcome, Outcome::kDone) << result.why;
  // The notes differ, so scontrol reads them; the change is one for all.
  ASSERT_THAT(slurm_.sent, SizeIs(2));
  EXPECT_THAT(slurm_.sent[0], ElementsAre("scontrol"));
  EXPECT_EQ(std::count(slurm_.inputs[0].begin(), slurm_.inputs[0].end(), '\n'), 100);
  EXPECT_EQ(slurm_.sent[1][1], "update");
  EXPECT_THAT(slurm_.sent[1][2], HasSubstr("JobId=100,200,300,"));
  EXPECT_EQ(slurm_.sent[1][3], "StartTime=2026-11-18T22:40:20");
}

TEST_F(SlurmMechanismTest, AnArrayIsNamedByTheElementsThatWait) {
  const JobKey array = stage_.Submit({.elements = 12});
  std::erase_if(Record(array).elements, [](int i) { return i % 5 == 0; });
  ASSERT_EQ(ParkAll({array})[0].outcome, Outcome::kDone);
  EXPECT_EQ(slurm_.sent[1][2], "JobId=100_[1-4,6-9,11-12]");
}

TEST_F(SlurmMechanismTest, BytesOfOthersAreAnArgumentAndNeverALine) {
  const auto jobs = SubmitSome(3);
  Record(jobs[1]).admin_comment = "x\nupdate JobId=100 Nice=99";
  for (const ActionResult& result : ParkAll(jobs)) EXPECT_EQ(result.outcome, Outcome::kDone) << result.why;
  ASSERT_THAT(slurm_.sent, SizeIs(3));
  EXPECT_THAT(slurm_.sent[0], SizeIs(4));
  EXPECT_TRUE(slurm_.sent[0][3].starts_with("AdminComment=x\nupdate JobId=100 Nice=99 heliostat:run="));
  for (const std::string& input : slurm_.inputs) EXPECT_EQ(input.find("Nice"), std::string::npos);
  EXPECT_EQ(Record(jobs[0]).nice, 0);
}

TEST_F(SlurmMechanismTest, HalfOfABatchMayBeRefused) {
  const auto jobs = SubmitSome(4);
  slurm_.before = [&](const std::vector<std::string>& command) -> Status {
    if (command.size() > 3) {
      Record(jobs[1]).state = JobState::kRunning;
      Record(jobs[3]).state = JobState::kRunning;
    }
    return {};
  };
  std::vector<Outcome> outcomes;
  for (const ActionResult& result : ParkAll(jobs)) outcomes.push_back(result.outcome);
  EXPECT_THAT(outcomes, ElementsAre(Outcome::kDone, Outcome::kWrongState, Outcome::kDone, Outcome::kWrongState));
}

TEST_F(SlurmMechanismTest, WhatACommandSaysDoesNotCount) {
  const auto jobs = SubmitSome(1);
  slurm_.reply = CommandReply{1, "", "Access/permission denied for job 100\n"};
  EXPECT_EQ(ParkAll(jobs)[0].outcome, Outcome::kDone);
  slurm_.reply = CommandReply{0, "\xff garbage\n", ""};
  const auto more = SubmitSome(1);
  EXPECT_EQ(ParkAll(more)[0].outcome, Outcome::kDone);
}

TEST_F(SlurmMechanismTest, MisleadingWordsOfALostControllerAreNoRefusal) {
  const auto jobs = SubmitSome(1);
  stage_.memory().rights.jobs = false;  // nothing changes
  for (const std::string words : {"Unexpected message received", "Unable to contact slurm controller (connect failure)",
                                  "Protocol authentication error"}) {
    slurm_.reply = CommandReply{1, "", "slurm_update error: " + words + "\n"};
    EXPECT_EQ(ParkAll(jobs)[0].outcome, Outcome::kNotKnown) << words;
  }
  slurm_.reply = CommandReply{1, "", "100: Some other trouble\n"};
  const auto refused = ParkAll(jobs)[0];
  EXPECT_EQ(refused.outcome, Outcome::kRefused);
  EXPECT_EQ(refused.why, "100: Some other trouble");
  slurm_.reply = CommandReply{1, "", "Access/permission denied for job 100\n"};
  EXPECT_EQ(ParkAll(jobs)[0].outcome, Outcome::kNoRight);
}

TEST_F(SlurmMechanismTest, AGarbledQueueTouchesNothing) {
  const auto jobs = SubmitSome(1);
  for (const std::string text : {"garbage", "100\x1f", "\n"}) {
    slurm_.queue = text;
    EXPECT_EQ(ParkAll(jobs)[0].outcome, Outcome::kNotSent) << text;
  }
  slurm_.queue = "";
  EXPECT_EQ(ParkAll(jobs)[0].outcome, Outcome::kNotThatJob);
  EXPECT_THAT(slurm_.sent, SizeIs(0));
}

TEST_F(SlurmMechanismTest, AfterSilenceNothingIsSentForAWhile) {
  const auto jobs = SubmitSome(1);
  stage_.BeSilent();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ParkAll(jobs)[0].outcome, Outcome::kNotSent);
  stage_.memory().is_silent = false;
  const auto waiting = ParkAll(jobs)[0];
  EXPECT_EQ(waiting.outcome, Outcome::kNotSent);
  EXPECT_THAT(waiting.why, HasSubstr("is asked again in"));
  stage_.Speak();
  EXPECT_EQ(ParkAll(jobs)[0].outcome, Outcome::kDone);
}

// Answers the two questions about rights.
class RightsRunner final : public CommandRunner, public CommandSender {
 public:
  std::string config = "SlurmUser = slurm(64030)\nAccountingStorageType = accounting_storage/slurmdbd\n";
  std::string level = "Operator\n";
  Result<std::string> Run(const std::vector<std::string>& command, std::chrono::milliseconds, std::size_t) override {
    return command[0] == "sacctmgr" ? level : config;
  }
  Result<CommandReply> Send(const std::vector<std::string>&, std::string_view, std::chrono::milliseconds) override {
    return CommandReply{};
  }
  Rights Ask(const std::string& account) {
    const ManualClock clock(kStageBegin);
    return SlurmActions(*this, *this, clock, RandomStream(1), account).AskRights();
  }
};

TEST(SlurmRightsTest, ComeFromTheAccountsOfTheCluster) {
  RightsRunner runner;
  EXPECT_EQ(runner.Ask("slurm").nodes, true);
  EXPECT_EQ(runner.Ask("root").jobs, true);
  EXPECT_EQ(runner.Ask("carbon").jobs, true);
  EXPECT_EQ(runner.Ask("carbon").nodes, false);
  EXPECT_EQ(runner.Ask("carbon").source, "AdminLevel=Operator");
  runner.level = "Administrator\n";
  EXPECT_EQ(runner.Ask("carbon").nodes, true);
  for (const std::string none : {"None\n", ""}) {
    runner.level = none;
    EXPECT_EQ(runner.Ask("carbon").jobs, false);
  }
  runner.level = "\xff?";
  EXPECT_EQ(runner.Ask("carbon").jobs, std::nullopt);
  runner.config = "SlurmUser = slurm(64030)\nAccountingStorageType = (null)\n";
  EXPECT_EQ(runner.Ask("carbon").jobs, false);
}

}  // namespace
}  // namespace heliostat::cluster::testing
