// Laws of plans, on many random tiny scenarios. `--gtest_shuffle --gtest_repeat=N` tests them on N times as many.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/testing/tiny_scenario.h"
#include "heliostat/planning/planner/best_effort.h"
#include "heliostat/planning/planner/planner.h"

namespace heliostat::planner {
namespace {

using plan::Objective;
using scenario::Scenario;

constexpr std::uint64_t kCases = 120;

// Other seeds in each repetition with --gtest_shuffle.
std::uint64_t FirstSeed() {
  const int round = GTEST_FLAG_GET(shuffle) ? ::testing::UnitTest::GetInstance()->random_seed() : 0;
  return kCases * static_cast<std::uint64_t>(round);
}

Scenario Tiny(std::uint64_t seed, double load) {
  RandomStream random(seed);
  return plan::testing::TinyScenario(load, random);
}

plan::Outcome PlanIn(const Scenario& scenario, int rounds, unsigned threads = 1) {
  PlanRequest request{Objective::kMinCarbon, {}, Solver::kPrice, {}, rounds};
  request.effort.threads = threads;
  auto answer = MakePlan(scenario, request);
  EXPECT_TRUE(answer.has_value());
  return std::move(answer->outcome);
}

// Rounding.
double Room(double value) { return 1e-9 * std::max(1.0, std::abs(value)); }

TEST(TinyLaw, MoreRoundsNeverGiveAWorsePlanAndNonePassesABound) {
  for (std::uint64_t seed = FirstSeed(); seed < FirstSeed() + kCases; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = Tiny(seed, 0.5);
    double before = 0.0;
    double bound = 0.0;
    for (const int rounds : {1, 2, 4}) {
      const plan::Outcome outcome = PlanIn(scenario, rounds);
      ASSERT_TRUE(outcome.has_plan()) << outcome.reason;
      ASSERT_TRUE(plan::Violations(KeptBy(scenario, outcome), {}, outcome.plan()).empty());
      if (rounds > 1) ASSERT_LE(outcome.value, before + Room(before)) << rounds;
      before = outcome.value;
      bound = std::max(bound, outcome.bound);
    }
    ASSERT_LE(bound, before + Room(before));
  }
}

TEST(TinyLaw, TheMissedWeightIsNoLessThanWhatIsProven) {
  std::size_t crowded = 0;
  for (std::uint64_t seed = FirstSeed(); seed < FirstSeed() + kCases; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = Tiny(seed, 1.5);
    const plan::Outcome outcome = PlanIn(scenario, 1);
    ASSERT_TRUE(outcome.has_plan()) << outcome.reason;
    ASSERT_GE(outcome.missed.size(), outcome.least_misses);
    ASSERT_EQ(outcome.missed.empty(), outcome.status != plan::Termination::kBestEffort);
    // The proof holds for any jobs, so the lightest ones may miss.
    std::vector<double> weights;
    for (const scenario::Job& job : scenario.jobs) {
      if (job.deadline) weights.push_back(job.weight);
    }
    std::ranges::sort(weights);
    double least = 0.0;
    for (std::size_t i = 0; i < outcome.least_misses; ++i) least += weights[i];
    double missed = 0.0;
    for (const plan::Miss& miss : outcome.missed) missed += scenario.jobs[miss.job].weight;
    ASSERT_GE(missed, least);
    ASSERT_TRUE(plan::Violations(KeptBy(scenario, outcome), {}, outcome.plan()).empty());
    crowded += outcome.missed.empty() ? 0 : 1;
  }
  EXPECT_GE(crowded, kCases / 10) << "the scenarios are not crowded";
}

TEST(TinyLaw, ThePlanDoesNotDependOnTheNumberOfThreads) {
  for (std::uint64_t seed = FirstSeed(); seed < FirstSeed() + kCases; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = Tiny(seed, seed % 2 == 0 ? 0.5 : 1.5);
    const plan::Outcome one = PlanIn(scenario, 1, 1);
    const plan::Outcome three = PlanIn(scenario, 1, 3);
    ASSERT_TRUE(one.has_plan() && three.has_plan());
    ASSERT_EQ(one.value, three.value);
    ASSERT_EQ(one.bound, three.bound);
    ASSERT_EQ(one.plan().nodes_on, three.plan().nodes_on);
    for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
      ASSERT_EQ(one.plan().jobs[j].segments, three.plan().jobs[j].segments);
    }
  }
}

}  // namespace
}  // namespace heliostat::planner
