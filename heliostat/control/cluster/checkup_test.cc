#include "heliostat/control/cluster/checkup.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heliostat::cluster {
namespace {

class CheckupTest : public ::testing::Test {
 protected:
  CheckupTest() {
    facts_ = {.kind = "slurm",
              .version = "24.11.5",
              .name = "c",
              .accounting = Accounting::kDatabase,
              .accounts_gpus = true,
              .keeps_comments = true};
    facts_.power_saving = {"/bin/off", "/bin/on", Duration{600}, Duration{30}, Duration{300}, {}, {}};
    facts_.scheduler_type = "sched/backfill";
    ClusterNode node;
    node.name = "n1";
    node.gpus = {{"a100", 8}};
    snapshot_.nodes.push_back(node);
    snapshot_.time = Instant{std::chrono::seconds{1'795'000'000}};
  }
  // The worst that is said about a subject; nothing when it is not mentioned.
  std::optional<Health> Of(const std::string& subject) const {
    std::optional<Health> worst;
    for (const Finding& finding : Checkup(facts_, snapshot_)) {
      EXPECT_TRUE(finding.health != Health::kProblem || !finding.fix.empty()) << finding.what;
      if (finding.subject == subject) worst = std::max(worst.value_or(Health::kOk), finding.health);
    }
    return worst;
  }
  bool Tells(const std::string& words) const {
    const auto findings = Checkup(facts_, snapshot_);
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.what.find(words) != std::string::npos; });
  }
  ClusterFacts facts_;
  ClusterSnapshot snapshot_;
};

TEST_F(CheckupTest, FindsNothingWrongWithAClusterThatHasAll) {
  for (const Finding& finding : Checkup(facts_, snapshot_)) EXPECT_EQ(finding.health, Health::kOk) << finding.what;
}

TEST_F(CheckupTest, TellsOfAReleaseThatWasNeverSeen) {
  facts_.version = "31.02.0";
  EXPECT_EQ(Of("cluster"), Health::kNote);
}

TEST_F(CheckupTest, FindsThatThereAreNoGpus) {
  snapshot_.nodes[0].gpus.clear();
  EXPECT_EQ(Of("nodes"), Health::kProblem);
}

TEST_F(CheckupTest, TellsOfGpusWithoutWatts) {
  snapshot_.nodes[0].gpus = {{"mystery", 4}};
  EXPECT_EQ(Of("GPUs"), Health::kNote);
}

TEST_F(CheckupTest, TellsOfMissingAccounts) {
  facts_.accounting = Accounting::kNone;
  EXPECT_EQ(Of("accounting"), Health::kNote);
  facts_.accounting = Accounting::kDatabase;
  facts_.accounts_gpus = false;
  EXPECT_EQ(Of("accounting"), Health::kProblem);
}

TEST_F(CheckupTest, TellsOfRightsPowerSavingAndSettings) {
  facts_.private_data = {"jobs"};
  facts_.power_saving = {};
  facts_.scheduler_type = "sched/builtin";
  facts_.priority_type = "priority/multifactor";
  facts_.requeues_by_default = false;
  for (const char* subject : {"rights", "power saving", "scheduler", "priority", "requeue"}) {
    EXPECT_EQ(Of(subject), Health::kNote) << subject;
  }
}

TEST_F(CheckupTest, FindsClocksThatDiffer) {
  ClusterJob job;
  job.key.submit = snapshot_.time + Duration{4};
  snapshot_.jobs = {job};
  EXPECT_EQ(Of("clocks"), std::nullopt);
  snapshot_.jobs[0].key.submit = snapshot_.time + Duration{300};
  EXPECT_EQ(Of("clocks"), Health::kProblem);
}

TEST_F(CheckupTest, TellsOfNodesThatAreDownOrHaveGpusOfSeveralTypes) {
  EXPECT_EQ(Of("GPUs"), std::nullopt);
  snapshot_.nodes.push_back(snapshot_.nodes[0]);
  snapshot_.nodes[1].name = "n2";
  snapshot_.nodes[1].gpus = {{"a100", 4}, {"h100", 4}};
  EXPECT_EQ(Of("GPUs"), Health::kNote);
  EXPECT_TRUE(Tells("several types are not accounted: n2"));
  EXPECT_FALSE(Tells("down: "));
  snapshot_.nodes[0].state = NodeState::kDown;
  EXPECT_TRUE(Tells("down: n1"));
}

TEST_F(CheckupTest, TellsOfWhatHindersLaterModes) {
  EXPECT_EQ(Of("preemption"), std::nullopt);
  EXPECT_EQ(Of("requeue"), std::nullopt);
  facts_.preempt_type = "preempt/qos";
  facts_.preempt_mode = "REQUEUE";
  facts_.credential_life = Duration{120};
  EXPECT_TRUE(Tells("preempt/qos with REQUEUE"));
  EXPECT_TRUE(Tells("starts again after 2 min at the earliest"));
  facts_.power_saving.excluded_nodes = {"n1"};
  EXPECT_TRUE(Tells("never n1"));
}

TEST_F(CheckupTest, TellsOfJobsThatAreForgottenBeforeTheNextLook) {
  facts_.accounting = Accounting::kNone;
  facts_.memory_of_ended = Duration{300};
  EXPECT_FALSE(Tells("forgets jobs"));
  facts_.memory_of_ended = Duration{10};
  EXPECT_TRUE(Tells("forgets jobs 10 s after their end"));
}

TEST_F(CheckupTest, PassesOnWhatCouldNotBeRead) {
  snapshot_.problems = {"row 3: has the state 'NEW'"};
  EXPECT_TRUE(Tells("row 3: has the state 'NEW'"));
}

TEST_F(CheckupTest, CountsNoJobThatHasEnded) {
  ClusterJob job;
  job.comment = "heliostat:slak=50%";
  job.state = JobState::kEnded;
  snapshot_.jobs = {job};
  EXPECT_EQ(Of("jobs"), Health::kOk);
  EXPECT_TRUE(Tells("0 in the queue"));
}

TEST_F(CheckupTest, CountsCommentsAndFindsWrongOnes) {
  ClusterJob job;
  job.comment = "heliostat:slack=50%";
  snapshot_.jobs = {job};
  EXPECT_EQ(Of("jobs"), Health::kOk);
  snapshot_.jobs[0].comment = "heliostat:slak=50%";
  EXPECT_EQ(Of("jobs"), Health::kNote);
}

}  // namespace
}  // namespace heliostat::cluster
