// The shadow of a recorded simulated week under another policy.
#include <gtest/gtest.h>

#include <filesystem>

#include "heliostat/control/loop/recorded_world.h"
#include "heliostat/control/loop/shadow_world.h"
#include "heliostat/control/sim/outlook.h"
#include "heliostat/control/sim/simulation.h"
#include "heliostat/model/scenario/generate.h"

namespace heliostat::sim {
namespace {

class Shadow : public ::testing::Test {
 protected:
  Shadow() {
    scenario::Shape shape;
    shape.seed = 31;
    shape.jobs = 12;
    shape.slots = 72;
    shape.gpus = 32;
    shape.load = 0.2;
    shape.slack = 5.0;
    shape.services = 1;
    shape.best_effort = 0.0;
    scenario_ = scenario::Generate(shape);
    foresight_ = PerfectForesight(scenario_, false);
  }
  ~Shadow() override { std::filesystem::remove(path_); }

  // The week under one policy, on record.
  sim::SimulatedRun Record(const std::string& name, const SimulationOptions& options = {}) {
    auto policy = *policy::Make(name, {});
    return *SimulateLogged(scenario_, *policy, *foresight_, options, {path_, name, {}});
  }

  // The shadow of that week under another policy.
  loop::ShadowWorld::Totals Instead(const std::string& name) {
    const auto recorded = loop::RecordedWorld::Open(path_);
    SlotOutlook outlook(scenario_, *foresight_);
    loop::ShadowWorld shadow(**recorded, outlook);
    auto policy = *policy::Make(name, {});
    loop::Driver driver(shadow, outlook, *policy);
    driver.Run();
    EXPECT_EQ(driver.violations(), 0U);
    return shadow.totals();
  }

  std::string path_ =
      (std::filesystem::temp_directory_path() / ("heliostat_shadow_test_" + std::to_string(::getpid()) + ".jsonl"))
          .string();
  scenario::Scenario scenario_;
  std::unique_ptr<Foresight> foresight_;
};

TEST_F(Shadow, OfThePolicyThatDecidedIsWhatWas) {
  for (const char* name : {"run-now", "edf+sleep", "chase"}) {
    const sim::SimulatedRun run = Record(name);
    const auto totals = Instead(name);
    // The log ends with its last decision, before the last slot does.
    const Joules last = run.slots.back().it;
    EXPECT_NEAR(totals.would_have_been.it.value, run.total.it.value, 0.02 * run.total.it.value + last.value) << name;
    EXPECT_EQ(totals.jobs_done, scenario_.jobs.size()) << name;
  }
}

TEST_F(Shadow, OfAnotherPolicyIsWhatThatPolicyDoesByItself) {
  (void)Record("run-now");
  const auto shadow = Instead("ca-rm-performance");
  auto policy = *policy::Make("ca-rm-performance", {});
  const sim::SimulatedRun own = Simulate(scenario_, *policy, *foresight_, {});
  EXPECT_NEAR(shadow.would_have_been.carbon.value, own.total.carbon.value, 0.1 * own.total.carbon.value);
  EXPECT_LT(shadow.would_have_been.carbon.value, 0.7 * shadow.was.carbon.value);
  EXPECT_EQ(shadow.jobs_done, scenario_.jobs.size());
}

TEST_F(Shadow, LearnsHowLongJobsReallyAre) {
  SimulationOptions options;
  options.estimate_error = 0.5;
  const sim::SimulatedRun run = Record("run-now", options);
  const auto totals = Instead("run-now");
  const Joules last = run.slots.back().it;
  EXPECT_NEAR(totals.would_have_been.it.value, run.total.it.value, 0.03 * run.total.it.value + last.value);
}

TEST_F(Shadow, ThatStopsAndGoesOnCountsAsOneThatDidNotStop) {
  (void)Record("edf");
  const auto whole = Instead("run-now");
  const auto recorded = loop::RecordedWorld::Open(path_);
  SlotOutlook outlook(scenario_, *foresight_);
  loop::ShadowWorld::Totals totals;
  std::optional<io::Json> kept;
  bool goes_on = true;
  int restarts = 0;
  while (goes_on) {
    loop::ShadowWorld shadow(**recorded, outlook);
    // As text, since that is what is on disk.
    if (kept) ASSERT_TRUE(shadow.Restore(*io::Json::Parse(kept->Line(), "kept")));
    auto policy = *policy::Make("run-now", {});
    loop::Driver driver(shadow, outlook, *policy);
    for (int step = 0; step < 7 && goes_on; ++step) {
      driver.Step();
      goes_on = driver.Wait();
    }
    kept = shadow.Keep();
    totals = shadow.totals();
    ++restarts;
  }
  EXPECT_GT(restarts, 5);
  EXPECT_EQ(totals.jobs_done, whole.jobs_done);
  EXPECT_EQ(totals.jobs_late, whole.jobs_late);
  EXPECT_NEAR(totals.would_have_been.it.value, whole.would_have_been.it.value, 1e-6 * whole.would_have_been.it.value);
  EXPECT_NEAR(totals.would_have_been.carbon.value, whole.would_have_been.carbon.value,
              1e-6 * whole.would_have_been.carbon.value);
}

TEST_F(Shadow, RefusesWhatItDidNotKeep) {
  (void)Record("edf");
  const auto recorded = loop::RecordedWorld::Open(path_);
  SlotOutlook outlook(scenario_, *foresight_);
  for (const char* text : {"{}", R"({"drawn_until":"2023-06-05T00:00:00Z","slot":0,"groups":[]})"}) {
    loop::ShadowWorld shadow(**recorded, outlook);
    EXPECT_FALSE(shadow.Restore(*io::Json::Parse(text, "kept"))) << text;
  }
}

TEST_F(Shadow, OwesTheWorkThatTheRealWorldHasDoneAndItHasNot) {
  (void)Record("run-now");
  const auto recorded = loop::RecordedWorld::Open(path_);
  SlotOutlook outlook(scenario_, *foresight_);
  loop::ShadowWorld shadow(**recorded, outlook);
  auto policy = *policy::Make("wait-awhile", {});
  loop::Driver driver(shadow, outlook, *policy);
  std::size_t most = 0;
  do {
    driver.Step();
    for (const auto& arrears : shadow.JobsInArrears()) {
      EXPECT_GT(arrears.running.count(), 0.0);
      EXPECT_GT(arrears.workers, 0);
    }
    most = std::max(most, shadow.JobsInArrears().size());
  } while (driver.Wait());
  EXPECT_GT(most, 0U);
}

// Orders reach the twin only.
class Untouched : public loop::World {
 public:
  explicit Untouched(loop::World& inner) : inner_(inner) {}
  std::shared_ptr<const scenario::Site> site() const override { return inner_.site(); }
  policy::Capabilities capabilities() const override { return inner_.capabilities(); }
  Instant now() const override { return inner_.now(); }
  loop::WorldView Look() override { return inner_.Look(); }
  void Apply(const policy::Decision& /*decision*/, std::vector<policy::Receipt>& /*receipts*/) override { ++applied; }
  bool Wait(Instant until) override { return inner_.Wait(until); }
  int applied = 0;

 private:
  loop::World& inner_;
};

TEST_F(Shadow, AppliesNothing) {
  (void)Record("edf");
  const auto recorded = loop::RecordedWorld::Open(path_);
  Untouched untouched(**recorded);
  SlotOutlook outlook(scenario_, *foresight_);
  loop::ShadowWorld shadow(untouched, outlook);
  auto policy = *policy::Make("wait-awhile", {});
  loop::Driver(shadow, outlook, *policy).Run();
  EXPECT_EQ(untouched.applied, 0);
  EXPECT_GT(shadow.totals().would_have_been.carbon.value, 0.0);
}

}  // namespace
}  // namespace heliostat::sim
