// The layer `cluster` on a real Slurm: `lab run --power-saving --class 2:a40:4 --class 1:h100:8 --class 1:none:0 --
// THIS`.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <thread>

#include "heliostat/control/cluster/slurm_cluster.h"
#include "heliostat/control/cluster/testing/cluster_contract.h"
#include "heliostat/node/process/capture.h"
#include "tests/slurm/lab_shell.h"

namespace heliostat::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Short, because tests wait for them. Commands of an idle Slurm take 10 ms.
constexpr SlurmLimits kLimits{.look = milliseconds(1500), .ping = milliseconds(500)};
constexpr Patience kPatience{.failures = 3, .first_wait = milliseconds(50), .longest_wait = milliseconds(200)};
const ClusterJob* Find(const ClusterSnapshot& snapshot, const std::string& name) {
  for (const ClusterJob& job : snapshot.jobs) {
    if (job.name == name) return &job;
  }
  return nullptr;
}

class SlurmLab : public ::testing::Test {
 protected:
  template <typename Condition>
  ClusterSnapshot LookUntil(Condition is_true) {
    const auto until = std::chrono::steady_clock::now() + kLongest;
    std::string last;
    while (std::chrono::steady_clock::now() < until) {
      auto snapshot = cluster_.Look();
      if (snapshot && is_true(*snapshot)) return std::move(*snapshot);
      last = snapshot ? fmt::format("{} jobs", snapshot->jobs.size()) : snapshot.error().Line();
      std::this_thread::sleep_for(milliseconds(20));
    }
    ADD_FAILURE() << "never came true; at last: " << last;
    return {};
  }
  static auto Is(const std::string& name, JobState state) {
    return [=](const ClusterSnapshot& snapshot) {
      const ClusterJob* const job = Find(snapshot, name);
      return job != nullptr && job->state == state;
    };
  }
  void Cancel(const std::string& name) {
    (void)Shell("scancel -n " + name);
    (void)LookUntil(Is(name, JobState::kEnded));
  }

  ProcessRunner commands_{ProcessVariables()};
  SystemClock clock_;
  SlurmCluster cluster_{commands_, clock_, RandomStream(1), kLimits, kPatience};
};

TEST_F(SlurmLab, SaysHowItIsConfigured) {
  const auto facts = cluster_.Facts();
  ASSERT_TRUE(facts) << facts.error().Line();
  EXPECT_EQ(facts->name, "lab");
  EXPECT_TRUE(facts->power_saving.is_on());
  EXPECT_EQ(facts->accounting, Accounting::kNone);
  EXPECT_EQ(facts->scheduler_type, "sched/backfill");
  EXPECT_EQ(facts->credential_life, seconds(5));
}

TEST_F(SlurmLab, ReadsJobsThatWait) {
  (void)Submit("-J held -H --gres=gpu:h100:4 --exclusive -t 1-0");
  (void)Submit("-J later --begin=now+1hour -p main,other --no-requeue -t UNLIMITED");
  const auto first = Submit("-J first -H -t 5");
  (void)Submit(fmt::format("-J chain -d afterok:{} --nice=100 --gpus-per-node=a40:2 -N2 -t 5", first));
  (void)Shell(
      "scontrol -Q create reservation reservationname=weekly starttime=now+1hour duration=60 nodes=gpu2 users=root");
  (void)Submit("-J reserved --reservation=weekly -t 5 --gres=gpu:1");
  const ClusterSnapshot snapshot = LookUntil(Is("reserved", JobState::kWaiting));
  EXPECT_THAT(snapshot.problems, IsEmpty());

  const ClusterJob held = *Find(snapshot, "held");
  EXPECT_EQ(held.state, JobState::kHeld);
  EXPECT_TRUE(held.is_exclusive);
  EXPECT_EQ(held.time_limit, std::chrono::hours(24));
  EXPECT_EQ(held.gpus_requested, (GpusByType{{"h100", 4}}));
  EXPECT_FALSE(held.is_interactive);
  const ClusterJob later = *Find(snapshot, "later");
  // sbatch counts from when it reads the option.
  EXPECT_GT(later.eligible, later.key.submit + std::chrono::minutes(59));
  EXPECT_LE(later.eligible, later.key.submit + std::chrono::hours(1));
  EXPECT_EQ(later.time_limit, std::nullopt);
  EXPECT_FALSE(later.may_requeue);
  EXPECT_THAT(later.partitions, ElementsAre("main", "other"));
  const ClusterJob chain = *Find(snapshot, "chain");
  EXPECT_THAT(chain.dependencies, ElementsAre(fmt::format("afterok:{}", first)));
  EXPECT_EQ(chain.nice, 100);
  EXPECT_EQ(chain.gpus_requested, (GpusByType{{"a40", 4}}));
  EXPECT_EQ(Find(snapshot, "reserved")->reservation, "weekly");
}

TEST_F(SlurmLab, ReadsJobsThatRun) {
  (void)Submit("-J plain -t 10 --gres=gpu:a40:2 --comment='heliostat:slack=50%'");
  std::thread person([] {
    (void)process::Capture({"srun", "-J", "inter", "-t", "3", "--gres=gpu:h100:1", "sleep", "3600"}, ProcessVariables(),
                           {.time = kLongest});
  });
  const ClusterSnapshot snapshot = LookUntil([](const ClusterSnapshot& s) {
    return Is("plain", JobState::kRunning)(s) && Is("inter", JobState::kRunning)(s);
  });
  const ClusterJob plain = *Find(snapshot, "plain");
  EXPECT_EQ(plain.user, "root");
  EXPECT_EQ(plain.comment, "heliostat:slack=50%");
  EXPECT_EQ(plain.time_limit, std::chrono::minutes(10));
  EXPECT_EQ(plain.gpus_allocated, (GpusByType{{"a40", 2}}));
  EXPECT_EQ(plain.nodes.size(), 1u);
  EXPECT_TRUE(plain.may_requeue);
  const ClusterJob interactive = *Find(snapshot, "inter");
  EXPECT_TRUE(interactive.is_interactive);
  EXPECT_THAT(interactive.nodes, ElementsAre("gpu3"));

  (void)Shell(fmt::format("scontrol suspend {}", plain.key.number));
  const ClusterSnapshot suspended = LookUntil(Is("plain", JobState::kSuspended));
  EXPECT_EQ(Find(suspended, "plain")->gpus_allocated, (GpusByType{{"a40", 2}}));
  Cancel("plain");
  Cancel("inter");
  person.join();
}

TEST_F(SlurmLab, ReadsArraysAndHeterogeneousJobs) {
  const auto array = Submit("-J array -a 1-3%1 -t 5 --gpus=a40:1");
  const auto het = std::atoll(
      Shell("sbatch --parsable -o /dev/null -J het -t 5 --gpus=a40:1 -n1 : --gpus=h100:1 -n1 --wrap 'exec sleep 3600'")
          .c_str());
  const ClusterSnapshot snapshot = LookUntil([](const ClusterSnapshot& s) {
    const auto runs = [](const ClusterJob& job) { return job.state == JobState::kRunning; };
    return std::count_if(s.jobs.begin(), s.jobs.end(), runs) == 3;
  });
  std::map<int, JobState> elements;
  int components = 0;
  for (const ClusterJob& job : snapshot.jobs) {
    if (job.name == "het") {
      EXPECT_EQ(job.het_leader, het);
      EXPECT_EQ(CountOf(job.gpus_allocated), 1);
      ++components;
    }
    if (job.name != "array") continue;
    EXPECT_EQ(job.key.number, array);
    ASSERT_TRUE(job.is_array_element());
    elements[*job.key.element] = job.state;
  }
  EXPECT_EQ(components, 2);
  EXPECT_EQ(elements,
            (std::map<int, JobState>{{1, JobState::kRunning}, {2, JobState::kWaiting}, {3, JobState::kWaiting}}));
  // A started element has another number, and the same key.
  Cancel("het");
  (void)Shell("scancel -n array");
}

TEST_F(SlurmLab, ReadsHowJobsEnd) {
  (void)Submit("-J done -t 5 --gres=gpu:a40:1", "true");
  (void)Submit("-J failed -t 5 --gres=gpu:a40:1", "false");
  (void)Submit("-J cancelled -t 5 --gres=gpu:a40:1");
  (void)LookUntil(Is("cancelled", JobState::kRunning));
  (void)Shell("scancel -n cancelled");
  const ClusterSnapshot snapshot = LookUntil([](const ClusterSnapshot& s) {
    return Is("done", JobState::kEnded)(s) && Is("failed", JobState::kEnded)(s) && Is("cancelled", JobState::kEnded)(s);
  });
  EXPECT_EQ(Find(snapshot, "done")->end_kind, JobEnd::kCompleted);
  EXPECT_EQ(Find(snapshot, "failed")->end_kind, JobEnd::kFailed);
  EXPECT_EQ(Find(snapshot, "cancelled")->end_kind, JobEnd::kCancelled);
}

TEST_F(SlurmLab, ARequeuedJobHasItsNumberAndANewKey) {
  const auto number = Submit("-J again -t 5 --gres=gpu:a40:1");
  const JobKey before = Find(LookUntil(Is("again", JobState::kRunning)), "again")->key;
  EXPECT_EQ(before.number, number);
  LookUntil([&](const ClusterSnapshot& s) { return s.time > before.submit; });
  (void)Shell(fmt::format("scontrol requeue {}", number));
  const ClusterSnapshot snapshot = LookUntil(Is("again", JobState::kWaiting));
  const ClusterJob after = *Find(snapshot, "again");
  EXPECT_EQ(after.key.number, number);
  EXPECT_GT(after.key.submit, before.submit);
  EXPECT_EQ(after.restarts, 1);
  Cancel("again");
}

TEST_F(SlurmLab, ACommentCannotAddAJob) {
  (void)Submit("-J evil -H -t 5 --comment=\"$(printf 'x\\n99\\037 99\\037 N/A')\"");
  const ClusterSnapshot snapshot = LookUntil(Is("evil", JobState::kHeld));
  EXPECT_EQ(Find(snapshot, "evil")->comment, "x\n99\x1f 99\x1f N/A");
  EXPECT_THAT(snapshot.problems, IsEmpty());
  for (const ClusterJob& job : snapshot.jobs) EXPECT_NE(job.key.number, 99);
}

TEST_F(SlurmLab, ARestartedControllerHasTheSameJobs) {
  (void)Submit("-J steady -t 5 --gres=gpu:a40:1");
  const auto before = Find(LookUntil(Is("steady", JobState::kRunning)), "steady")->key;
  Do("stop", "slurmctld");
  const auto without = cluster_.Look();
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, ErrorCode::kUnavailable);
  Do("start", "slurmctld");
  const ClusterSnapshot snapshot = LookUntil(Is("steady", JobState::kRunning));
  EXPECT_EQ(Find(snapshot, "steady")->key, before);
  Cancel("steady");
}

TEST_F(SlurmLab, WithoutMungeItSaysSoAndRecovers) {
  Do("kill", "munge");
  const auto snapshot = cluster_.Look();
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(snapshot.error().Line(), HasSubstr("squeue"));
  Do("start", "munge");
  (void)LookUntil([](const ClusterSnapshot&) { return true; });
}

// Falling asleep takes a dozen seconds, in which the other tests run: no other job asks for the GPUs of this node.
class SleepingNode : public ::testing::Environment {
 public:
  void SetUp() override { (void)Shell("scontrol update nodename=gpu5 state=power_down_force"); }
};
const ::testing::Environment* const kSleepingNode = ::testing::AddGlobalTestEnvironment(new SleepingNode);

TEST_F(SlurmLab, ReadsNodesThatSleepWakeAndDrain) {
  (void)Shell("scontrol update nodename=gpu4 state=drain reason='fan is broken'");
  const ClusterSnapshot asleep =
      LookUntil([](const ClusterSnapshot& s) { return s.nodes[4].state == NodeState::kAsleep; });
  EXPECT_EQ(asleep.nodes[4].gpus, (GpusByType{{"v100", 2}}));
  EXPECT_TRUE(asleep.nodes[3].is_draining);
  EXPECT_EQ(asleep.nodes[3].reason, "fan is broken");
  EXPECT_THAT(asleep.nodes[3].gpus, IsEmpty());
  EXPECT_EQ(asleep.nodes[2].gpus, (GpusByType{{"h100", 8}}));
  EXPECT_EQ(asleep.nodes[0].cpus, 16);
  (void)Shell("scontrol update nodename=gpu5 state=power_up");
  (void)LookUntil([](const ClusterSnapshot& s) { return s.nodes[4].state == NodeState::kWaking; });
  (void)LookUntil([](const ClusterSnapshot& s) { return s.nodes[4].state == NodeState::kIdle; });
}

// What was submitted in the last seconds before a crash is lost, and its number is given again.
TEST_F(SlurmLab, ANumberGivenAgainIsAnotherJob) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto lost = Submit(fmt::format("-J lost{} -H -t 5", attempt));
    const JobKey before =
        Find(LookUntil(Is(fmt::format("lost{}", attempt), JobState::kHeld)), fmt::format("lost{}", attempt))->key;
    Do("kill", "slurmctld");
    Do("start", "slurmctld");
    (void)LookUntil([&](const ClusterSnapshot& s) { return s.time > before.submit; });
    const auto next = Submit("-J other -H -t 5");
    if (next != lost) continue;  // it was saved in time
    const JobKey after = Find(LookUntil(Is("other", JobState::kHeld)), "other")->key;
    EXPECT_EQ(after.number, before.number);
    EXPECT_NE(after, before);
    return;
  }
  GTEST_SKIP() << "five crashes lost nothing";
}

// A controller that hangs: squeue alone would wait for a quarter of a minute.
class FrozenStage final : public testing::ClusterStage {
 public:
  // All stages share one job, which outlives them.
  FrozenStage() {
    static const std::int64_t number = Submit("-J contract -t 5 --gres=gpu:a40:2");
    EXPECT_GT(number, 0);
    AwaitLook([](const ClusterSnapshot& s) {
      const auto is_moving = [](const ClusterJob& job) { return job.state == JobState::kCompleting; };
      const ClusterJob* const job = Find(s, "contract");
      return job != nullptr && job->state == JobState::kRunning &&
             std::none_of(s.jobs.begin(), s.jobs.end(), is_moving);
    });
  }
  Cluster& cluster() override { return cluster_; }
  Instant now() const override { return clock_.Now(); }
  void BeSilent() override { Do("freeze", "slurmctld"); }
  void Speak() override {
    Do("thaw", "slurmctld");
    AwaitLook([](const ClusterSnapshot&) { return true; });
  }

 private:
  template <typename Condition>
  void AwaitLook(Condition is_true) {
    const auto until = std::chrono::steady_clock::now() + kLongest;
    while (std::chrono::steady_clock::now() < until) {
      const auto snapshot = cluster_.Look();
      if (snapshot && is_true(*snapshot)) return;
      std::this_thread::sleep_for(milliseconds(20));
    }
    ADD_FAILURE() << "never came true";
  }

  ProcessRunner commands_{ProcessVariables()};
  SystemClock clock_;
  SlurmCluster cluster_{commands_, clock_, RandomStream(2), kLimits, kPatience};
};

}  // namespace

namespace testing {

INSTANTIATE_TEST_SUITE_P(SlurmLab, ClusterContract, ::testing::Values([] { return std::make_unique<FrozenStage>(); }));

}  // namespace testing
}  // namespace heliostat::cluster
