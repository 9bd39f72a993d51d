// Properties of every problem, tested on small random ones.
#include <gmock/gmock.h>

#include <cmath>

#include "heliostat/planning/milp/testing/any_scenario.h"

namespace heliostat::milp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the tiny clusters

TEST(ExactLaw, APlanKeepsEverythingAndIsNotBelowItsBound) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario s = AnyScenario(random);
    plan::Limits limits;
    limits.right_sizing = AnyOf(0, 3, random) > 0;
    limits.finish_best_effort = random.Chance(0.5);
    const plan::Outcome outcome = SolveTiny(s, AnyWeights(random), limits, 1e-3);
    if (!outcome.has_plan()) continue;
    ASSERT_TRUE(plan::Violations(s, limits, outcome.plan()).empty());
    ASSERT_TRUE(outcome.bound <= outcome.value);
  }
}

// The bound holds for all plans, also with a large gap.
TEST(ExactLaw, NoPlanBeatsTheBound) {
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario s = AnyScenario(random);
    const plan::Weights weights = AnyWeights(random);
    const plan::Outcome outcome = SolveTiny(s, weights, {}, 0.1);
    for (int i = 0; i < 20; ++i) {
      const plan::Plan plan = AnyPlan(s, random);
      if (!plan::Violations(s, {}, plan).empty()) continue;
      // A solution may not give a plan in whole seconds; but where a plan exists, the status must not be infeasible.
      ASSERT_NE(outcome.status, plan::Termination::kInfeasible);
      ASSERT_TRUE(plan::ValueOf(weights, plan::ScoreOf(s, plan)) >= outcome.bound - 1e-9);
    }
  }
}

TEST(ExactLaw, ALaterDeadlineNeverRaisesTheBoundAboveThePlan) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    scenario::Scenario s = AnyScenario(random);
    const plan::Outcome before = SolveTiny(s, kCarbon);
    if (!before.has_plan()) continue;
    for (scenario::Job& job : s.jobs) {
      if (job.deadline) job.deadline = s.end();
    }
    // The former plan is still one, so that with it the answer is no worse.
    const plan::Outcome after = Solve({s, kCarbon, {}}, {Seconds{20.0}, 1e-4}, &before.plan());
    ASSERT_TRUE(after.has_plan());
    ASSERT_TRUE(after.value <= before.value + 1e-9);
    ASSERT_TRUE(after.bound <= before.value + 1e-9);
  }
}

TEST(ExactLaw, TwiceTheCarbonIsTwiceTheValue) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    scenario::Scenario s = AnyScenario(random);
    const plan::Outcome once = SolveTiny(s, kCarbon, {}, 1e-6);
    if (!once.has_plan()) continue;
    for (CarbonIntensity& intensity : s.carbon) intensity = intensity * 2.0;
    const plan::Outcome twice = SolveTiny(s, kCarbon, {}, 1e-6);
    // Bounds agree to the solver's tolerance; plans of equal value may differ, and so may what whole seconds add.
    ASSERT_TRUE(std::abs(twice.bound - 2.0 * once.bound) <= 1e-4 * std::abs(twice.bound) + 1e-7);
  }
}

}  // namespace
}  // namespace heliostat::milp
