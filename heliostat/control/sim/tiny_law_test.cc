// Laws of closed loops, on many random tiny scenarios. `--gtest_shuffle --gtest_repeat=N` tests them on N times as
// many.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "heliostat/control/sim/simulation.h"
#include "heliostat/planning/plan/testing/tiny_scenario.h"

namespace heliostat::sim {
namespace {

constexpr std::uint64_t kCases = 400;

// Other seeds in each repetition with --gtest_shuffle.
std::uint64_t FirstSeed() {
  const int round = GTEST_FLAG_GET(shuffle) ? ::testing::UnitTest::GetInstance()->random_seed() : 0;
  return kCases * static_cast<std::uint64_t>(round);
}

TEST(TinyLoopLaw, WhereAllIsKnownTheFirstPlanIsCarriedOutAndNoJobIsLate) {
  const std::vector<std::string> names{"ca-rm-performance", "ca-rm-ppc", "ce-dla-drs"};
  std::size_t kept = 0;
  for (std::uint64_t seed = FirstSeed(); seed < FirstSeed() + kCases; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario scenario = plan::testing::TinyScenario(0.5, random);
    const std::string& name = names[seed % names.size()];
    const auto policy = policy::Make(name, {});
    const auto foresight = PerfectForesight(scenario);
    const SimulatedRun run = Simulate(scenario, **policy, *foresight, {});
    // A plan that gives up deadlines is followed, too, but it does not keep them.
    if ((*policy)->Plans().does_first_miss) continue;
    ++kept;
    ASSERT_EQ(run.plans, 1) << name;
    const auto value = [&](const account::Balance& balance) {
      return name == "ce-dla-drs" ? balance.cost : InKilograms(balance.carbon);
    };
    const double planned = value(*run.own_plan);
    ASSERT_LE(value(run.total), planned + 0.01 * std::abs(planned) + 1e-6) << name;
    ASSERT_EQ(FiguresOf(scenario, run).deadline_misses, 0U) << name;
  }
  EXPECT_GE(kept, kCases * 8 / 10) << "most scenarios are crowded";
}

// In crowds, too, a plan that knows all jobs is no worse than their order by deadline.
TEST(TinyLoopLaw, WhereAllIsKnownNoMoreWeightMissesThanByDeadline) {
  double missed = 0.0;
  double by_deadline = 0.0;
  for (std::uint64_t seed = FirstSeed(); seed < FirstSeed() + kCases / 3; ++seed) {
    RandomStream random(seed);
    const scenario::Scenario scenario = plan::testing::TinyScenario(1.5, random);
    const auto missed_by = [&](const char* name) {
      const auto policy = policy::Make(name, {});
      const auto foresight = PerfectForesight(scenario);
      const SimulatedRun run = Simulate(scenario, **policy, *foresight, {});
      double weight = 0.0;
      for (std::size_t j = 0; j < run.jobs.size(); ++j) {
        const scenario::Job& job = scenario.jobs[j];
        const bool is_late = job.deadline && (!run.jobs[j].finish || *run.jobs[j].finish > *job.deadline);
        weight += is_late ? job.weight : 0.0;
      }
      return weight;
    };
    missed += missed_by("ca-rm-performance");
    by_deadline += missed_by("edf");
  }
  EXPECT_GT(by_deadline, 0.0);
  EXPECT_LE(missed, by_deadline);
}

}  // namespace
}  // namespace heliostat::sim
