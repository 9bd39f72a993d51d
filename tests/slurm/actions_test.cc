// The actions of the layer `cluster` on a real Slurm: `lab run --power-saving --class 2:a40:4 --class 1:h100:8 --class
// 1:none:0 --class 1:v100:2 -- THIS`.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <thread>

#include "heliostat/control/cluster/slurm_mechanism.h"
#include "heliostat/control/cluster/testing/actions_contract.h"
#include "tests/slurm/lab_shell.h"

namespace heliostat::cluster {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::ActionsStage;
using ::testing::HasSubstr;
using testing::StageJob;

// Short, because tests wait for them. Commands of an idle Slurm take 10 ms.
constexpr SlurmLimits kLimits{.look = milliseconds(1500), .ping = milliseconds(500)};
constexpr Patience kPatience{.failures = 3, .first_wait = milliseconds(50), .longest_wait = milliseconds(200)};
constexpr int kNobody = 65534;

// Keeps all GPUs of a node, so that jobs wait.
std::int64_t Filler() {
  static const std::int64_t number = Submit("-J filler -t 60 --gres=gpu:h100:8");
  return number;
}

std::string OptionsOf(const StageJob& job) {
  std::string options = "-J stage -t 5 ";
  options += job.runs ? "--gres=gpu:a40:1 -w gpu1" : "--gres=gpu:h100:8";
  if (job.is_held) options += " -H";
  if (job.has_dependency) options += fmt::format(" -d afterok:{}", Filler());
  if (!job.may_requeue) options += " --no-requeue";
  if (job.begin) options += fmt::format(" --begin=now+{}", job.begin->count());
  if (job.nice != 0) options += fmt::format(" --nice={}", job.nice);
  if (job.elements > 0) options += fmt::format(" -a 1-{}", job.elements);
  if (job.throttle > 0) options += fmt::format("%{}", job.throttle);
  return options;
}

class LabStage : public ActionsStage {
 public:
  LabStage() { EXPECT_GT(Filler(), 0); }
  ~LabStage() override { (void)Shell("scancel -n stage"); }

  Actions& actions() override { return *actions_; }
  ActionMechanism& mechanism() override { return mechanism_; }
  Instant now() const override { return clock_.Now(); }
  void Restart() override {
    actions_.emplace(commands_, commands_, clock_, RandomStream(++seed_), "root", kLimits, kPatience);
  }
  JobKey Submit(const StageJob& job) override {
    const std::int64_t number = cluster::Submit(OptionsOf(job));
    return KeyOf(number, job.runs ? JobState::kRunning : job.is_held ? JobState::kHeld : JobState::kWaiting);
  }
  // Waits for the state.
  JobKey KeyOf(std::int64_t number, JobState state) {
    std::string last = "is not listed";
    const auto until = std::chrono::steady_clock::now() + kLongest;
    while (std::chrono::steady_clock::now() < until) {
      const auto records = mechanism_.Records({number});
      if (records && !records->empty() && (*records)[0].state == state) return (*records)[0].key;
      if (!records) last = records.error().Line();
      std::this_thread::sleep_for(milliseconds(20));
    }
    ADD_FAILURE() << "job " << number << " never is " << NameOf(state) << ": " << last;
    return {};
  }
  void ChangeAsOther(const JobKey& job, const RecordChange& change) override {
    const auto records = mechanism_.Records({job.number});
    ASSERT_TRUE(records);
    ASSERT_EQ(records->size(), 1u);
    EXPECT_EQ(mechanism_.Send({{records->front(), {}, change}})[0].words, "");
  }
  std::string idle_node() const override { return "gpu2"; }
  std::string draining_node() const override { return "gpu4"; }
  void BeSilent() override { Do("freeze", "slurmctld"); }
  void Speak() override {
    Do("thaw", "slurmctld");
    std::this_thread::sleep_for(kPatience.longest_wait);
    (void)KeyOf(Filler(), JobState::kRunning);
  }

 private:
  ProcessRunner commands_{ProcessVariables()};
  SystemClock clock_;
  SlurmMechanism mechanism_{commands_, commands_, clock_, RandomStream(1), "root", kLimits, kPatience};
  std::uint64_t seed_ = 2;
  std::optional<SlurmActions> actions_{std::in_place,   commands_, commands_, clock_,
                                       RandomStream(2), "root",    kLimits,   kPatience};
};

// Falling asleep takes a dozen seconds, in which the other tests run.
class PinnedNode : public ::testing::Environment {
 public:
  void SetUp() override {
    (void)Shell("scontrol update nodename=gpu4 state=drain reason='fan is broken'");
    LabStage stage;
    const ActionResult down = stage.actions().PowerDown({"gpu5"})[0];
    EXPECT_EQ(NameOf(down.outcome), NameOf(Outcome::kDone)) << down.why;
    const ActionResult pin = stage.actions().SetPin({"lab", {"gpu5"}, stage.now() + hours(1)});
    EXPECT_EQ(NameOf(pin.outcome), NameOf(Outcome::kDone)) << pin.why;
  }
};
const ::testing::Environment* const kPinnedNode = ::testing::AddGlobalTestEnvironment(new PinnedNode);

// Runs every command as a user without rights.
class NobodyRunner final : public CommandRunner, public CommandSender {
 public:
  int sent = 0;
  Result<std::string> Run(const std::vector<std::string>& command, milliseconds limit, std::size_t most) override {
    return commands_.Run(AsNobody(command), limit, most);
  }
  Result<CommandReply> Send(const std::vector<std::string>& command, std::string_view input,
                            milliseconds limit) override {
    ++sent;
    return commands_.Send(AsNobody(command), input, limit);
  }

 private:
  static std::vector<std::string> AsNobody(const std::vector<std::string>& command) {
    const std::string id = fmt::format("{}", kNobody);
    std::vector<std::string> words{"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
  ProcessRunner commands_{ProcessVariables()};
};

class SlurmActionsLab : public ::testing::Test {
 protected:
  ActionResult Do(const JobKey& job, JobVerb verb) { return stage_.actions().Do({{job, std::move(verb)}})[0]; }
  template <typename Condition>
  void Await(const std::string& what, Condition is_true) {
    const auto until = std::chrono::steady_clock::now() + kLongest;
    while (std::chrono::steady_clock::now() < until) {
      if (is_true()) return;
      std::this_thread::sleep_for(milliseconds(50));
    }
    ADD_FAILURE() << "never true: " << what;
  }
  NodeState StateOf(const std::string& name) {
    const auto situation = stage_.mechanism().Nodes();
    if (!situation) return NodeState::kUnknown;
    for (const ClusterNode& node : situation->nodes) {
      if (node.name == name) return node.state;
    }
    return NodeState::kUnknown;
  }

  LabStage stage_;
};

// Without us, in time.
TEST_F(SlurmActionsLab, AParkedJobStartsByItselfAtItsLatestStart) {
  const std::int64_t number = Submit("-J stage -t 5 --gres=gpu:a40:1 -w gpu1 --begin=now+2");
  const JobKey job = stage_.KeyOf(number, JobState::kWaiting);
  const Instant until = stage_.now() + std::chrono::seconds(4);
  ASSERT_EQ(Do(job, Park{until}).outcome, Outcome::kDone);
  (void)stage_.KeyOf(number, JobState::kRunning);
  EXPECT_GE(stage_.now(), until);
}

TEST_F(SlurmActionsLab, AReleasedJobStarts) {
  const std::int64_t number = Submit("-J stage -t 5 --gres=gpu:a40:1 -w gpu1 -H");
  const JobKey job = stage_.KeyOf(number, JobState::kHeld);
  ASSERT_EQ(Do(job, Park{stage_.now() + hours(1)}).outcome, Outcome::kDone);
  (void)Shell(fmt::format("scontrol release {}", number));
  stage_.Restart();
  ASSERT_EQ(Do(job, Release{}).outcome, Outcome::kDone);
  (void)stage_.KeyOf(number, JobState::kRunning);
}

TEST_F(SlurmActionsLab, AHundredJobsAreParkedAndReleasedAtOnce) {
  (void)Shell("for i in $(seq 100); do sbatch -o /dev/null -J stage -t 5 --gres=gpu:h100:8 --wrap true; done");
  std::vector<JobAction> parks;
  std::vector<JobAction> releases;
  const std::string list = Shell("squeue -h -n stage -o %i");
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < list.size(); at = list.find('\n', at) + 1) numbers.push_back(std::atoll(&list[at]));
  std::sort(numbers.begin(), numbers.end());
  const auto records = stage_.mechanism().Records(numbers);
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 100u);
  for (const JobRecord& record : *records) {
    parks.push_back({record.key, Park{stage_.now() + hours(2)}});
    releases.push_back({record.key, Release{}});
  }
  for (const ActionResult& result : stage_.actions().Do(parks)) EXPECT_EQ(result.outcome, Outcome::kDone) << result.why;
  stage_.Restart();
  for (const ActionResult& result : stage_.actions().Do(releases)) {
    EXPECT_EQ(result.outcome, Outcome::kDone) << result.why;
  }
}

TEST_F(SlurmActionsLab, WithoutRightsNothingIsDoneAndTriedOnce) {
  EXPECT_EQ(stage_.actions().AskRights().nodes, true);
  const SystemClock clock;
  NobodyRunner runner;
  SlurmActions nobodys(runner, runner, clock, RandomStream(9), "nobody", kLimits, kPatience);
  EXPECT_EQ(nobodys.AskRights().jobs, false);
  const std::int64_t number = std::atoll(
      Shell(
          fmt::format("cd / && setpriv --reuid={0} --regid={0} --clear-groups sbatch --parsable -o /dev/null -J stage "
                      "-t 5 --gres=gpu:h100:8 --wrap true",
                      kNobody))
          .c_str());
  const JobKey own = stage_.KeyOf(number, JobState::kWaiting);
  const JobKey others = stage_.Submit({});
  const auto results = nobodys.Do({{own, Park{stage_.now() + hours(1)}}, {others, Order{-5}}});
  for (const ActionResult& result : results) {
    EXPECT_EQ(NameOf(result.outcome), NameOf(Outcome::kNoRight));
    EXPECT_THAT(result.why, HasSubstr("denied"));
  }
  EXPECT_EQ(nobodys.PowerDown({"gpu2"})[0].outcome, Outcome::kNoRight);
  const int sent = runner.sent;
  EXPECT_EQ(nobodys.Do({{own, Park{stage_.now() + hours(1)}}})[0].outcome, Outcome::kNoRight);
  EXPECT_EQ(nobodys.PowerDown({"gpu2"})[0].outcome, Outcome::kNoRight);
  EXPECT_EQ(runner.sent, sent);
  const auto records = stage_.mechanism().Records({own.number, others.number});
  ASSERT_TRUE(records);
  for (const JobRecord& record : *records) {
    EXPECT_EQ(record.admin_comment, "");
    EXPECT_EQ(record.nice, 0);
  }
}

TEST_F(SlurmActionsLab, APinnedNodeSleepsUntilThePinIsGone) {
  Actions& actions = stage_.actions();
  Await("gpu5 sleeps", [&] { return StateOf("gpu5") == NodeState::kAsleep; });
  const std::int64_t number = Submit("-J stage -t 5 --gres=gpu:v100:1");
  Await("the job knows why it waits", [&] {
    return Shell(fmt::format("squeue -h -j {} -o %r", number)).find("ReqNodeNotAvail") != std::string::npos;
  });
  EXPECT_EQ(StateOf("gpu5"), NodeState::kAsleep);
  EXPECT_EQ(actions.PowerDown({"gpu5"})[0].outcome, Outcome::kAlreadySo);
  ASSERT_EQ(actions.RemovePin("lab").outcome, Outcome::kDone);
  const ActionResult up = actions.PowerUp({"gpu5"})[0];
  EXPECT_TRUE(up.outcome == Outcome::kDone || up.outcome == Outcome::kAlreadySo) << up.why;
  // It takes the node at once; that it runs there takes Slurm half a minute more.
  Await("the job has the node", [&] {
    const auto records = stage_.mechanism().Records({number});
    return records && !records->empty() && !records->front().is_waiting();
  });
}

// What was submitted in the last seconds before a crash is lost, and its number is given again.
TEST_F(SlurmActionsLab, ANumberGivenAgainAfterACrashIsNotTouched) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    const JobKey lost = stage_.Submit({.is_held = true});
    cluster::Do("kill", "slurmctld");
    cluster::Do("start", "slurmctld");
    Await("slurmctld answers", [&] { return stage_.mechanism().Records({1}) && stage_.now() > lost.submit; });
    const JobKey next = stage_.Submit({.is_held = true});
    if (next.number != lost.number) continue;  // it was saved in time
    EXPECT_EQ(Do(lost, Park{stage_.now() + hours(1)}).outcome, Outcome::kNotThatJob);
    EXPECT_EQ(Do(lost, Release{}).outcome, Outcome::kNotThatJob);
    const auto records = stage_.mechanism().Records({next.number});
    ASSERT_TRUE(records);
    EXPECT_EQ(records->at(0).admin_comment, "");
    EXPECT_EQ(records->at(0).begin, std::nullopt);
    Await("the nodes are back", [&] { return StateOf("gpu2") == NodeState::kIdle; });
    return;
  }
  GTEST_SKIP() << "five crashes lost nothing";
}

}  // namespace

namespace testing {

INSTANTIATE_TEST_SUITE_P(SlurmLab, ActionsContract, ::testing::Values([] { return std::make_unique<LabStage>(); }));

}  // namespace testing
}  // namespace heliostat::cluster
