#include "heliostat/control/cluster/slurm_cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "heliostat/control/cluster/testing/cluster_contract.h"
#include "heliostat/control/cluster/testing/fake_cluster.h"
#include "heliostat/control/cluster/testing/scripted_slurm.h"

namespace heliostat::cluster::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Instant kNow{Duration{1'795'020'020}};
constexpr SlurmLimits kLimits{.look = seconds(3), .ping = seconds(1)};
constexpr Patience kPatience{.failures = 3, .first_wait = seconds(5), .longest_wait = seconds(40)};

class SlurmClusterTest : public ::testing::Test {
 protected:
  void ExpectTrouble(std::string_view words) {
    const auto snapshot = cluster_.Look();
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(snapshot.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(snapshot.error().Line(), HasSubstr(std::string(words)));
  }

  ManualClock clock_{kNow};
  ScriptedSlurm slurm_{clock_};
  SlurmCluster cluster_{slurm_, clock_, RandomStream(7), kLimits, kPatience};
};

TEST_F(SlurmClusterTest, LooksWithTwoQuestions) {
  const auto snapshot = cluster_.Look();
  ASSERT_TRUE(snapshot) << snapshot.error().Line();
  EXPECT_EQ(snapshot->time, kNow);
  EXPECT_EQ(snapshot->jobs.size(), 17u);
  EXPECT_EQ(snapshot->nodes.size(), 4u);
  EXPECT_THAT(slurm_.asked(), ElementsAre("squeue", "show node"));
}

TEST_F(SlurmClusterTest, GpusWithoutATypeGetThatOfTheirNodes) {
  std::string queue = Recorded("squeue.txt");
  for (const std::string from : {",gres/gpu=2,gres/gpu:h100=2", ",gres/gpu=1,gres/gpu:a40=1"}) {
    for (std::size_t at = 0; (at = queue.find(from)) != std::string::npos;) queue.erase(at, from.size());
  }
  slurm_.Answer("squeue", queue);
  const auto snapshot = cluster_.Look();
  ASSERT_TRUE(snapshot);
  for (const ClusterJob& job : snapshot->jobs) {
    if (job.name == "plain") EXPECT_EQ(job.gpus_allocated, (GpusByType{{"h100", 2}}));
    EXPECT_FALSE(job.gpus_allocated.contains("")) << job.name;
  }
}

TEST_F(SlurmClusterTest, AfterFailuresInARowOnlyAPingIsSent) {
  slurm_.BeSilent();
  for (int i = 0; i < 2; ++i) ExpectTrouble("squeue: does not end");
  ExpectTrouble("slurm: does not answer since 2026-11-18T16:40:23Z (squeue: does not end); is asked again in 5 s");
  const std::size_t before = slurm_.asked().size();
  ExpectTrouble("does not answer since");
  EXPECT_EQ(slurm_.asked().size(), before);  // it waits
  clock_.Advance(seconds(5));
  ExpectTrouble("(scontrol: does not end); is asked again in 10 s");
  EXPECT_EQ(slurm_.asked().size(), before + 1);
  EXPECT_EQ(slurm_.asked().back(), "ping");
}

TEST_F(SlurmClusterTest, ASuccessfulPingOpensTheWayAgain) {
  slurm_.BeSilent();
  for (int i = 0; i < 3; ++i) (void)cluster_.Look();
  slurm_.Speak();
  ExpectTrouble("is asked again in");
  clock_.Advance(seconds(5));
  ASSERT_TRUE(cluster_.Look());
  ASSERT_TRUE(cluster_.Look());
  const auto& asked = slurm_.asked();
  EXPECT_THAT((std::vector<std::string>(asked.end() - 5, asked.end())),
              ElementsAre("ping", "squeue", "show node", "squeue", "show node"));
}

TEST_F(SlurmClusterTest, APingThatSaysDownKeepsItShut) {
  slurm_.BeSilent();
  for (int i = 0; i < 3; ++i) (void)cluster_.Look();
  slurm_.Speak();
  slurm_.Answer("ping", "Slurmctld(primary) at head is DOWN\n");
  clock_.Advance(seconds(5));
  ExpectTrouble("at head is DOWN");
  slurm_.Answer("ping", "Slurmctld(primary) at head is DOWN\nSlurmctld(backup) at spare is UP\n");
  clock_.Advance(seconds(10));
  EXPECT_TRUE(cluster_.Look());
}

TEST_F(SlurmClusterTest, TroubleThatIsNotOfTheControllerDoesNotShutIt) {
  slurm_.Refuse("squeue",
                {ErrorCode::kNotFound, "squeue", "cannot be started: No such file or directory", "install it"});
  for (int i = 0; i < 5; ++i) {
    const auto snapshot = cluster_.Look();
    ASSERT_FALSE(snapshot);
    EXPECT_EQ(snapshot.error().code, ErrorCode::kNotFound);
  }
  EXPECT_TRUE(cluster_.Facts());
}

TEST_F(SlurmClusterTest, AnAnswerThatBreaksOffIsNoQueue) {
  slurm_.Answer("squeue", Recorded("squeue.txt").substr(0, 1000));
  const auto snapshot = cluster_.Look();
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().code, ErrorCode::kCorrupt);
}

TEST_F(SlurmClusterTest, WithoutAccountsThereIsNoHistory) {
  slurm_.Answer("show config",
                "SLURM_VERSION = 22.05.8\nClusterName = lab\nAccountingStorageType = accounting_storage/none\n");
  const auto history = cluster_.History({kNow - Duration(60), kNow});
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(history.error().Line(), HasSubstr("cluster lab keeps no accounts"));
}

class ScriptedStage final : public ClusterStage {
 public:
  Cluster& cluster() override { return cluster_; }
  Instant now() const override { return clock_.Now(); }
  void BeSilent() override { slurm_.BeSilent(); }
  void Speak() override {
    slurm_.Speak();
    clock_.Advance(kPatience.longest_wait);
  }

 private:
  ManualClock clock_{kNow};
  ScriptedSlurm slurm_{clock_};
  SlurmCluster cluster_{slurm_, clock_, RandomStream(7), kLimits, kPatience};
};

class FakeStage final : public ClusterStage {
 public:
  FakeStage() {
    ScriptedStage recorded;
    cluster_.snapshot = *recorded.cluster().Look();
    cluster_.ended = *recorded.cluster().History({Instant{}, kNow});
  }
  Cluster& cluster() override { return cluster_; }
  Instant now() const override { return kNow; }
  void BeSilent() override { cluster_.trouble = Error{ErrorCode::kUnavailable, "fake", "is silent", ""}; }
  void Speak() override { cluster_.trouble.reset(); }

 private:
  FakeCluster cluster_;
};

INSTANTIATE_TEST_SUITE_P(Scripted, ClusterContract,
                         ::testing::Values([] { return std::make_unique<ScriptedStage>(); }));
INSTANTIATE_TEST_SUITE_P(Fake, ClusterContract, ::testing::Values([] { return std::make_unique<FakeStage>(); }));

}  // namespace
}  // namespace heliostat::cluster::testing
