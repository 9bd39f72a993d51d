#include "heliostat/control/controller/controller.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <filesystem>

#include "heliostat/base/core/random.h"
#include "heliostat/base/io/file.h"
#include "heliostat/control/cluster/node_classes.h"
#include "heliostat/control/controller/answers.h"
#include "heliostat/control/controller/testing/toy_cluster.h"
#include "heliostat/control/loop/replay.h"

namespace heliostat::controller {
namespace {

using testing::ToyCluster;

constexpr Instant kStart{std::chrono::seconds{1'795'010'400}};  // 2026-11-18T14:00:00Z

// Carbon and prices that are high in the first two hours of six, and low in the others.
class DayAndNight final : public live_signal::SignalSource {
 public:
  DayAndNight(double high, double low) : high_(high), low_(low) {}
  const std::string& name() const override { return name_; }
  Value At(Instant now) override { return {Of(now)}; }
  std::vector<double> Ahead(Instant now, Duration slot, std::size_t count) override {
    std::vector<double> values;
    for (std::size_t s = 0; s < count; ++s) values.push_back(Of(now + slot * static_cast<std::int64_t>(s)));
    return values;
  }
  double HighestOfDay(Instant /*now*/) override { return high_; }

 private:
  double Of(Instant when) const {
    return (when - kStart) / std::chrono::hours(1) % 6 < 2 && when >= kStart ? high_ : low_;
  }
  double high_;
  double low_;
  std::string name_ = "day and night";
};

class ControllerTest : public ::testing::Test {
 protected:
  ControllerTest() {
    folder_ =
        std::filesystem::path(::testing::TempDir()) / ("controller-" + std::to_string(::getpid()) + "-" +
                                                       ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    config_.state = folder_.string();
    config_.planning = Duration{0};
    config_.policy = "wait-awhile";
    config_.pue = 1.2;
  }
  ~ControllerTest() override {
    controller_.reset();
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Begin() {
    controller_.reset();
    store_.reset();
    auto store = StateStore::Open(folder_.string());
    ASSERT_TRUE(store) << store.error().Line();
    store_ = *std::move(store);
    auto made = Controller::Make(config_, {*cluster_, clock_, *store_}, [](Instant) -> Result<Signals> {
      return Signals{std::make_unique<DayAndNight>(500, 100), std::make_unique<DayAndNight>(0.4, 0.1), nullptr, {}, {}};
    });
    ASSERT_TRUE(made) << made.error().Line();
    controller_ = *std::move(made);
  }
  // Looks every `poll` until `until` after the start.
  void CycleUntil(Duration until, Duration poll = Duration{10}) {
    while (cluster_->now() < kStart + until) {
      cluster_->RunUntil(std::min(kStart + until, cluster_->now() + poll));
      clock_.Advance(cluster_->now() - clock_.Now());
      controller_->Cycle();
    }
  }
  void MakeCluster(int nodes) { cluster_ = std::make_unique<ToyCluster>(kStart, nodes); }
  const JobReport* Find(std::int64_t number) {
    report_ = controller_->report();
    for (const JobReport& job : report_->jobs) {
      if (job.job->key.number == number) return &job;
    }
    return nullptr;
  }
  io::Json Ask(const std::string& request, const Asker& asker = {"root", true}) {
    const Answers answers({[this] { return controller_->report(); },
                           [this](Mode mode) { controller_->RequestMode(mode); }, folder_.string()});
    return *io::Json::Parse(answers.To(asker, request), "answer");
  }

  // In energy: jobs and nobody sum to the cluster, and so do its nodes.
  void ExpectSums() {
    const auto report = controller_->report();
    account::Balance shared = report->unused;
    for (const JobReport& job : report->jobs) shared += job.used;
    Joules archived;
    auto archive = *JobArchive::Open(folder_.string());
    const auto ended = *archive.Newest(100'000);
    for (const io::Json& job : ended) archived += KilowattHours(*(*job.Get("energy_kwh"))->Number());
    EXPECT_NEAR((shared.it + archived).value, report->used.it.value, 1e-6 * report->used.it.value + 1.0);
    Joules nodes;
    for (const NodeReport& node : report->nodes) nodes += node.used;
    EXPECT_NEAR(nodes.value, report->used.it.value, 1e-6 * report->used.it.value + 1.0);
  }

  // What a node draws, whose GPUs a job has.
  Watts BusyNode() const {
    const cluster::NodeClass node = cluster::GroupsFrom(cluster_->fake.snapshot).at(0);
    return node.group.node_base + node.gpu_busy * ToyCluster::kGpusPerNode;
  }
  // Energy of a job, wherever it is now: in the queue or complete.
  double UsedBy(std::int64_t number) {
    if (const JobReport* const job = Find(number)) return job->used.it.value;
    const auto job = *JobArchive::Open(folder_.string())->Find(std::to_string(number));
    EXPECT_TRUE(job) << "job " << number << " is not known";
    return job ? KilowattHours(KwhOf(*job)).value : 0.0;
  }
  static double KwhOf(const io::Json& job) { return *(*job.Get("energy_kwh"))->Number(); }

  std::filesystem::path folder_;
  Config config_;
  ManualClock clock_{kStart};
  std::unique_ptr<ToyCluster> cluster_;
  std::unique_ptr<StateStore> store_;
  std::unique_ptr<Controller> controller_;
  std::shared_ptr<const Report> report_;
  bool is_suspended_ = false;
};

TEST_F(ControllerTest, AccountsForEveryJobAndNode) {
  config_.mode = Mode::kObserve;
  MakeCluster(2);
  cluster_->Submit(1, 1, Duration{3600});
  cluster_->Submit(2, 1, Duration{1800});
  Begin();
  CycleUntil(std::chrono::minutes(30));
  ExpectSums();
  const JobReport* const job = Find(1);
  ASSERT_NE(job, nullptr);
  // Eight A100s that train and a node around them: the library's watts.
  const auto& power = controller_->report()->nodes[0].power;
  EXPECT_NEAR(job->used.it.value, power.value * 1790, power.value * 15);
  EXPECT_GT(job->used.carbon.value, 0.0);
  CycleUntil(std::chrono::hours(3));
  ASSERT_TRUE(controller_->Save());
  ExpectSums();
  EXPECT_TRUE(controller_->report()->is_healthy);
  EXPECT_EQ(Find(1), nullptr);
  const io::Json why = Ask(R"({"ask":"why","job":"1"})");
  ASSERT_NE(why.Find("answer"), nullptr);
  EXPECT_EQ(*(*why.Find("answer")->Get("state"))->Text(), "ended");
}

TEST_F(ControllerTest, SaysWhatWaitingWouldHaveSaved) {
  MakeCluster(2);
  Begin();
  CycleUntil(Duration{10});
  cluster_->Submit(1, 1, Duration{3600}, "heliostat:slack=200%");
  CycleUntil(std::chrono::minutes(65));
  const JobReport* job = Find(1);
  ASSERT_NE(job, nullptr);
  ASSERT_TRUE(job->twin);
  EXPECT_FALSE(job->twin->start);  // the cluster has done it, and the shadow lets it wait
  CycleUntil(std::chrono::hours(6), Duration{60});
  const auto report = controller_->report();
  ASSERT_TRUE(report->shadow);
  EXPECT_EQ(report->shadow->jobs_done, 1U);
  EXPECT_EQ(report->shadow->jobs_late, 0U);
  // Eight GPUs for an hour at 100 instead of 500 g/kWh, above what they use when idle.
  const double busy_kwh =
      InKilowattHours((Watts{8.0} * Seconds{3600}) * (controller_->report()->nodes.empty() ? 0.0 : 300.0));
  EXPECT_GT(report->shadow->saved_carbon_g.value, 0.3 * 400 * busy_kwh * 1.2);
  EXPECT_LT(report->shadow->saved_carbon_g.value, 1.5 * 400 * busy_kwh * 1.2);
  EXPECT_LE(report->shadow->saved_carbon_g.low, report->shadow->saved_carbon_g.value);
  EXPECT_GE(report->shadow->saved_carbon_g.high, report->shadow->saved_carbon_g.value);
}

TEST_F(ControllerTest, LogsDecisionsThatReplay) {
  MakeCluster(3);
  Begin();
  CycleUntil(Duration{10});
  cluster_->Submit(1, 1, Duration{5400}, "heliostat:slack=200%");
  cluster_->Submit(2, 2, Duration{7200});
  CycleUntil(std::chrono::hours(4), Duration{60});
  controller_.reset();
  const auto log = std::filesystem::directory_iterator(folder_ / "decisions")->path().string();
  const auto replayed = loop::Replay(log);
  ASSERT_TRUE(replayed) << replayed.error().Line();
  EXPECT_FALSE(replayed->difference);
  // Jobs that run on are not written again.
  const std::string text = *io::ReadTextFile(log);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = text.find("\"jobs\":[]", at)) != std::string::npos; ++at) ++lines;
  EXPECT_GT(lines, 200U);
}

// The slots of the answer sum to the comparison, and the moved jobs to about what it saves.
TEST_F(ControllerTest, RemembersSlotBySlot) {
  MakeCluster(2);
  Begin();
  CycleUntil(Duration{10});
  cluster_->Submit(1, 1, Duration{3600}, "heliostat:slack=200%");
  cluster_->Submit(2, 1, Duration{1800}).user = "bob";
  CycleUntil(std::chrono::minutes(70));
  ASSERT_TRUE(controller_->Save());
  Begin();  // also over a restart
  CycleUntil(std::chrono::minutes(370), Duration{60});
  const auto report = controller_->report();
  const io::Json answer = Ask(R"({"ask":"history"})");
  const io::Json* const history = answer.Find("answer");
  ASSERT_NE(history, nullptr) << answer.Line();
  double was = 0.0;
  double would = 0.0;
  const auto slots = *(*history->Get("slots"))->Elements();
  EXPECT_EQ(slots->size(), 25U);  // the last is not over
  for (const io::Json& slot : *slots) {
    was += *(*(*slot.Get("was"))->Get("carbon_kg"))->Number();
    would += *(*(*slot.Get("would_have_been"))->Get("carbon_kg"))->Number();
  }
  EXPECT_NEAR(was, InKilograms(report->shadow->was.carbon), 1e-6 * was);
  EXPECT_NEAR(would, InKilograms(report->shadow->would_have_been.carbon), 1e-6 * would);
  const auto moved = *(*history->Get("moved"))->Elements();
  ASSERT_EQ(moved->size(), 1U);
  EXPECT_EQ(*(*moved->front().Get("id"))->Text(), "1");
  const double saved = *(*(*moved->front().Get("moved"))->Get("saved_carbon_kg"))->Number();
  EXPECT_NEAR(saved, was - would, 0.03 * saved);
  EXPECT_EQ(*(*history->Get("jobs_moved"))->Integer(), 1);
  EXPECT_TRUE((*(*history->Get("late"))->Elements())->empty());
  const auto users = *(*history->Get("users"))->Elements();
  ASSERT_EQ(users->size(), 2U);
  EXPECT_EQ(*(*(*users)[1].Get("user"))->Text(), "bob");
  // A user who may not see others sees the sum of them.
  cluster_->fake.facts.private_data = {"jobs"};
  cluster_->fake.trouble = Error{ErrorCode::kUnavailable, "squeue", "restarts", ""};
  CycleUntil(std::chrono::minutes(371), Duration{60});
  cluster_->fake.trouble.reset();
  CycleUntil(std::chrono::minutes(372), Duration{60});
  const io::Json hidden = Ask(R"({"ask":"history"})", {"bob", false});
  EXPECT_TRUE((*(*hidden.Find("answer")->Get("moved"))->Elements())->empty());
  const auto seen = *(*hidden.Find("answer")->Get("users"))->Elements();
  ASSERT_EQ(seen->size(), 2U);
  EXPECT_EQ(*(*(*seen)[1].Get("user"))->Text(), "");
}

TEST_F(ControllerTest, SavesNothingWithoutSlack) {
  MakeCluster(3);
  cluster_->Submit(1, 1, Duration{3600});
  cluster_->Submit(2, 2, Duration{5400}, "my own words");
  Begin();
  CycleUntil(std::chrono::hours(4), Duration{20});
  const auto report = controller_->report();
  ASSERT_TRUE(report->shadow);
  EXPECT_EQ(report->shadow->jobs_done, 2U);
  // A look later than the cluster itself.
  EXPECT_NEAR(report->shadow->saved_carbon_g.value, 0.0, 0.01 * report->shadow->was.carbon.value);
  EXPECT_NEAR(report->shadow->was.it.value, report->used.it.value, 1e-6 * report->used.it.value);
}

TEST_F(ControllerTest, CountsNoJobTwiceAndForgetsNoneOverRestarts) {
  RandomStream random(7);
  for (const bool restarts : {false, true}) {
    MakeCluster(3);
    std::filesystem::remove_all(folder_);
    clock_.Set(kStart);
    Begin();
    Duration until{0};
    for (int job = 1; job <= 20; ++job) {
      cluster_->Submit(job, 1 + job % 2, Duration{600 + 137 * job}, job % 3 == 0 ? "heliostat:slack=100%" : "");
      until += Duration{900};
      CycleUntil(until, Duration{60});
      if (!restarts || job % 4 != 0) continue;
      ASSERT_TRUE(controller_->Save());
      // Down for a while, in which jobs come and go.
      controller_.reset();
      cluster_->RunUntil(cluster_->now() + Duration{random.Below(3000)});
      until = cluster_->now() - kStart;
      clock_.Advance(cluster_->now() - clock_.Now());
      Begin();
    }
    CycleUntil(std::chrono::hours(16), Duration{60});
    ASSERT_TRUE(controller_->Save());
    ExpectSums();
    auto archive = *JobArchive::Open(folder_.string());
    const auto ended = *archive.Newest(1000);
    std::set<std::string> numbers;
    for (const io::Json& job : ended) numbers.insert(*(*job.Get("id"))->Text());
    EXPECT_EQ(ended.size(), 20U) << "restarts " << restarts;
    EXPECT_EQ(numbers.size(), 20U);
    EXPECT_EQ(controller_->report()->shadow->jobs_done, 20U);
  }
}

TEST_F(ControllerTest, AccountsTheSameWithAndWithoutRestarts) {
  std::vector<double> energy;
  for (const bool restarts : {false, true}) {
    MakeCluster(2);
    std::filesystem::remove_all(folder_);
    clock_.Set(kStart);
    Begin();
    for (int job = 1; job <= 6; ++job) {
      cluster_->Submit(job, 1, Duration{1700});
      CycleUntil(Duration{1000 * job});
      if (restarts) {
        ASSERT_TRUE(controller_->Save());
        Begin();
      }
    }
    CycleUntil(std::chrono::hours(4), Duration{20});
    energy.push_back(controller_->report()->used.it.value);
    energy.push_back(controller_->report()->shadow->would_have_been.it.value);
  }
  EXPECT_NEAR(energy[0], energy[2], 1e-6 * energy[0]);
  EXPECT_NEAR(energy[1], energy[3], 2e-3 * energy[1]);
}

TEST_F(ControllerTest, SaysThatTheClusterDoesNotAnswerAndGoesOn) {
  MakeCluster(2);
  cluster_->Submit(1, 1, Duration{1800});
  Begin();
  CycleUntil(Duration{600});
  EXPECT_TRUE(controller_->report()->is_healthy);
  cluster_->fake.trouble = Error{ErrorCode::kUnavailable, "squeue", "does not answer", ""};
  CycleUntil(Duration{1200});
  const auto report = controller_->report();
  EXPECT_FALSE(report->is_healthy);
  ASSERT_EQ(report->problems.size(), 1U);
  EXPECT_NE(report->problems[0].find("does not answer"), std::string::npos);
  EXPECT_EQ(report->jobs.size(), 1U);
  cluster_->fake.trouble.reset();
  CycleUntil(std::chrono::hours(2));
  EXPECT_TRUE(controller_->report()->is_healthy);
  ASSERT_TRUE(controller_->Save());
  ExpectSums();
  const io::Json why = Ask(R"({"ask":"why","job":"1"})");
  ASSERT_NE(why.Find("answer"), nullptr);
}

TEST_F(ControllerTest, TellsOfPartitionsThatTheClusterDoesNotHave) {
  config_.partitions = {"main", "mian"};
  config_.partition_slack = {{"batch", 0.5}};
  MakeCluster(1);
  Begin();
  CycleUntil(Duration{20});
  const auto report = controller_->report();
  ASSERT_EQ(report->problems.size(), 2U);
  EXPECT_NE(report->problems[0].find("'batch'"), std::string::npos) << report->problems[0];
  EXPECT_NE(report->problems[1].find("'mian'; the cluster has main"), std::string::npos) << report->problems[1];
  EXPECT_FALSE(report->is_healthy);
}

TEST_F(ControllerTest, TakesAReusedNumberForAnotherJob) {
  MakeCluster(2);
  cluster_->Submit(1, 1, Duration{600});
  Begin();
  CycleUntil(Duration{1200});
  cluster_->Submit(1, 1, Duration{900});
  CycleUntil(std::chrono::hours(2));
  ASSERT_TRUE(controller_->Save());
  ExpectSums();
  EXPECT_EQ(JobArchive::Open(folder_.string())->Newest(10)->size(), 2U);
}

// Law: a job uses the power of its nodes, while it runs, however looks fall between its starts and stops.
TEST_F(ControllerTest, CountsTheTimeThatASuspendedJobRuns) {
  MakeCluster(1);
  Begin();
  CycleUntil(Duration{10});
  cluster_->Submit(1, 1, Duration{900});
  RandomStream random(3);
  int stops = 0;
  for (Duration at{15}; at < Duration{3000}; at += Duration{30 + random.Below(90)}) {
    CycleUntil(at, Duration{60});
    if (Find(1)->job->state == cluster::JobState::kEnded) break;
    cluster_->fake.snapshot.jobs.clear();
    is_suspended_ ? cluster_->Resume(1) : cluster_->Suspend(1);
    is_suspended_ = !is_suspended_;
    ++stops;
  }
  EXPECT_GT(stops, 10);
  if (is_suspended_) cluster_->Resume(1);
  CycleUntil(std::chrono::minutes(90), Duration{60});
  EXPECT_NEAR(UsedBy(1), BusyNode().value * 900, 1.0);
  ExpectSums();
}

TEST_F(ControllerTest, CountsBothRunsOfARequeuedJob) {
  for (const auto accounting : {cluster::Accounting::kDatabase, cluster::Accounting::kNone}) {
    MakeCluster(1);
    std::filesystem::remove_all(folder_);
    clock_.Set(kStart);
    cluster_->fake.facts.accounting = accounting;
    Begin();
    CycleUntil(Duration{10});
    cluster_->Submit(1, 1, Duration{1000});
    CycleUntil(Duration{333}, Duration{60});
    cluster_->Requeue(1);
    CycleUntil(std::chrono::minutes(90), Duration{60});
    ASSERT_TRUE(controller_->Save());
    ExpectSums();
    EXPECT_TRUE(controller_->report()->is_healthy);
    const auto ended = *JobArchive::Open(folder_.string())->Newest(10);
    ASSERT_EQ(ended.size(), 2U);
    EXPECT_NEAR(KwhOf(ended[1]), InKilowattHours(BusyNode() * Seconds{323}), 1e-6);
    EXPECT_NEAR(KwhOf(ended[0]), InKilowattHours(BusyNode() * Seconds{1000}), 1e-6);
  }
}

TEST_F(ControllerTest, FindsJobsLaterThatItCouldNotSee) {
  MakeCluster(1);
  Begin();
  CycleUntil(Duration{10});
  cluster_->Submit(1, 1, Duration{600});
  CycleUntil(Duration{300});
  ASSERT_TRUE(controller_->Save());
  controller_.reset();
  // It is down while job 1 ends and job 2 comes and goes, and then the accounts of the cluster are away.
  cluster_->Submit(2, 1, Duration{600});
  cluster_->RunUntil(kStart + Duration{3000});
  clock_.Advance(cluster_->now() - clock_.Now());
  cluster_->history_trouble = Error{ErrorCode::kUnavailable, "sacct", "does not answer", ""};
  Begin();
  CycleUntil(Duration{4000});
  EXPECT_FALSE(controller_->report()->is_healthy);
  EXPECT_EQ(Find(2), nullptr);
  cluster_->history_trouble.reset();
  CycleUntil(Duration{4700});
  EXPECT_TRUE(controller_->report()->is_healthy);
  for (const std::int64_t number : {1, 2}) EXPECT_NEAR(UsedBy(number), BusyNode().value * 600, 1.0);
  ExpectSums();
  CycleUntil(std::chrono::hours(3), Duration{60});
  ASSERT_TRUE(controller_->Save());
  ExpectSums();
  EXPECT_EQ(JobArchive::Open(folder_.string())->Newest(10)->size(), 2U);
}

TEST_F(ControllerTest, CountsAJobOnceThatACrashBringsBack) {
  MakeCluster(1);
  Begin();
  CycleUntil(Duration{10});
  cluster_->Submit(1, 1, Duration{600});
  CycleUntil(Duration{640});
  cluster_->ForgetEnd(1);
  CycleUntil(std::chrono::hours(2), Duration{60});
  EXPECT_FALSE(controller_->report()->is_healthy);
  EXPECT_NE(controller_->report()->problems.at(0).find("job 1: has ended at"), std::string::npos);
  EXPECT_NEAR(Find(1)->used.it.value, BusyNode().value * 600, 1.0);
  cluster_->Lose(1);
  CycleUntil(std::chrono::hours(3), Duration{60});
  EXPECT_TRUE(controller_->report()->is_healthy);
  ExpectSums();
  const auto ended = *JobArchive::Open(folder_.string())->Newest(10);
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_NEAR(KwhOf(ended[0]), InKilowattHours(BusyNode() * Seconds{600}), 1e-6);
}

TEST_F(ControllerTest, EndsAJobThatLeavesWithoutATrace) {
  MakeCluster(1);
  Begin();
  CycleUntil(Duration{10});
  cluster_->Submit(1, 1, Duration{6000});
  cluster_->Submit(2, 1, Duration{600});
  CycleUntil(Duration{600});
  cluster_->Lose(1);
  cluster_->Lose(2);
  CycleUntil(std::chrono::minutes(25));
  EXPECT_NEAR(UsedBy(1), BusyNode().value * 590, 1.0);
  EXPECT_EQ(UsedBy(2), 0.0);  // it waited
  ExpectSums();
}

TEST_F(ControllerTest, GoesOnWhileItCannotSave) {
  MakeCluster(1);
  cluster_->Submit(1, 1, Duration{600});
  Begin();
  CycleUntil(Duration{300});
  constexpr std::array kMigrations{""};
  auto database = io::Database::Open(folder_.string() + "/state.db", {0x48535443, "state", kMigrations});
  ASSERT_TRUE(database) << database.error().Line();
  ASSERT_TRUE(database->Execute("CREATE TRIGGER t BEFORE INSERT ON state BEGIN SELECT RAISE(FAIL, 'no room'); END"));
  CycleUntil(Duration{500}, Duration{100});
  const auto report = controller_->report();
  EXPECT_FALSE(report->is_healthy);
  ASSERT_FALSE(report->problems.empty());
  EXPECT_NE(report->problems[0].find("no room"), std::string::npos) << report->problems[0];
  EXPECT_NE(report->problems[0].find("nothing is saved since 2026-11-18T14:04"), std::string::npos);
  ASSERT_TRUE(database->Execute("DROP TRIGGER t"));
  CycleUntil(std::chrono::hours(1), Duration{60});
  EXPECT_TRUE(controller_->report()->is_healthy);
  ExpectSums();
  EXPECT_EQ(JobArchive::Open(folder_.string())->Newest(10)->size(), 1U);
}

TEST_F(ControllerTest, ANodeThatTurnsCountsHalfOfTheTimeBetweenLooks) {
  config_.mode = Mode::kObserve;
  MakeCluster(1);
  Begin();
  CycleUntil(Duration{10});
  auto& node = cluster_->fake.snapshot.nodes[0];
  node.state = cluster::NodeState::kAsleep;
  const double on = controller_->report()->nodes[0].power.value;
  CycleUntil(Duration{110}, Duration{100});
  const double off = controller_->report()->nodes[0].power.value;
  EXPECT_LT(off, on);
  EXPECT_NEAR(controller_->report()->used.it.value, 50 * on + 50 * off, 1e-6 * 100 * on);
  // It was on when a job began there.
  node.state = cluster::NodeState::kIdle;
  cluster_->RunUntil(kStart + Duration{120});
  cluster_->Submit(1, 1, Duration{600});
  const double before = controller_->report()->used.it.value;
  CycleUntil(Duration{210}, Duration{100});
  EXPECT_NEAR(controller_->report()->used.it.value - before, 10 * off + 90 * BusyNode().value, 1e-6 * 100 * on);
}

TEST_F(ControllerTest, AccountsNothingWhileTheClockIsBehind) {
  MakeCluster(1);
  cluster_->Submit(1, 1, Duration{7200});
  Begin();
  CycleUntil(Duration{600});
  const double used = controller_->report()->used.it.value;
  ASSERT_TRUE(controller_->Save());
  auto behind = std::make_unique<ToyCluster>(kStart, 1);
  std::swap(behind, cluster_);
  // The same controller looks at a cluster whose clock is ten minutes behind.
  controller_.reset();
  Begin();
  controller_->Cycle();
  EXPECT_FALSE(controller_->report()->is_healthy);
  EXPECT_DOUBLE_EQ(controller_->report()->used.it.value, used);
}

TEST_F(ControllerTest, ChangesItsModeAndRemembersIt) {
  MakeCluster(1);
  Begin();
  CycleUntil(Duration{60});
  EXPECT_EQ(Ask(R"({"ask":"mode","mode":"observe"})", {"ann", false}).Find("answer"), nullptr);
  EXPECT_NE(Ask(R"({"ask":"mode","mode":"observe"})").Find("answer"), nullptr);
  CycleUntil(Duration{120});
  EXPECT_EQ(controller_->report()->mode, Mode::kObserve);
  ASSERT_TRUE(controller_->Save());
  Begin();
  EXPECT_EQ(controller_->report()->mode, Mode::kObserve);
  EXPECT_NE(Ask(R"({"ask":"mode","mode":"live"})").Find("error"), nullptr);
}

TEST_F(ControllerTest, WorksWithoutAccountsAndWithoutGpus) {
  MakeCluster(1);
  cluster_->fake.facts.accounting = cluster::Accounting::kNone;
  cluster_->fake.snapshot.nodes[0].gpus.clear();
  cluster_->Submit(1, 1, Duration{600}).gpus_requested.clear();
  Begin();
  CycleUntil(Duration{3600});
  EXPECT_TRUE(controller_->report()->is_healthy);
  EXPECT_EQ(controller_->report()->used.it.value, 0.0);
  EXPECT_EQ(controller_->report()->nodes.size(), 1U);
}

}  // namespace
}  // namespace heliostat::controller
