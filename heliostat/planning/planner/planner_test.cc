#include "heliostat/planning/planner/planner.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <functional>
#include <limits>

#include "heliostat/model/scenario/generate.h"
#include "heliostat/planning/plan/check.h"

namespace heliostat::planner {
namespace {

using plan::Objective;
using scenario::Scenario;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

scenario::Shape Tiny(std::uint64_t seed) {
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = 4;
  shape.slots = 12;
  shape.gpus = 16;
  shape.groups = 1;
  shape.gpus_per_node = 4;
  shape.load = 0.25;
  shape.points_per_worker_count = 2;
  return shape;
}

plan::Outcome PlanFor(const Scenario& scenario, Objective objective, const plan::Limits& limits = {},
                      Solver solver = Solver::kPrice) {
  auto answer = MakePlan(scenario, {objective, limits, solver, {Seconds(20.0), 1e-3}});
  EXPECT_TRUE(answer.has_value()) << answer.error().Line();
  return std::move(answer->outcome);
}

TEST(Planner, TheBestRatioIsNeverWorseThanTheOthers) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    scenario::Shape shape = Tiny(seed);
    shape.best_effort = 0.5;
    Scenario scenario = scenario::Generate(shape);
    scenario.performance = seed % 2 == 0 ? scenario::Performance::kHeadroom : scenario::Performance::kThroughput;
    const plan::Outcome ratio = PlanFor(scenario, Objective::kMaxPpc);
    if (!ratio.has_plan()) continue;
    for (const Objective other : {Objective::kMinCarbon, Objective::kMaxPerformance}) {
      EXPECT_GE(ratio.score().ppc() * (1.0 + 1e-9), PlanFor(scenario, other).score().ppc()) << seed;
    }
    EXPECT_GE(ratio.bound, ratio.score().ppc());
  }
}

TEST(Planner, MoreBudgetNeverHurtsAndIsKept) {
  scenario::Shape shape = Tiny(3);
  shape.best_effort = 0.7;
  const Scenario scenario = scenario::Generate(shape);
  const plan::Outcome least = PlanFor(scenario, Objective::kMinCarbon);
  const plan::Outcome most = PlanFor(scenario, Objective::kMaxPerformance);
  ASSERT_TRUE(least.has_plan() && most.has_plan());
  double bound = 0.0;
  for (const double share : {0.2, 0.5, 0.9}) {
    plan::Limits limits;
    limits.carbon_budget_kg =
        least.score().carbon_kg() * 1.02 + share * (most.score().carbon_kg() - least.score().carbon_kg());
    const plan::Outcome answer = PlanFor(scenario, Objective::kMaxPerformance, limits);
    ASSERT_TRUE(answer.has_plan()) << answer.reason;
    EXPECT_LE(answer.score().carbon_kg(), *limits.carbon_budget_kg * (1.0 + 1e-6));
    EXPECT_THAT(plan::Violations(scenario, limits, answer.plan()), IsEmpty());
    EXPECT_GE(answer.bound, bound * (1.0 - 1e-3));  // bounds of easier problems are no lower
    bound = answer.score().performance;
  }
}

TEST(Planner, AFloorIsKept) {
  scenario::Shape shape = Tiny(5);
  shape.best_effort = 0.7;
  const Scenario scenario = scenario::Generate(shape);
  const plan::Outcome most = PlanFor(scenario, Objective::kMaxPerformance);
  ASSERT_TRUE(most.has_plan());
  plan::Limits limits;
  limits.performance_floor = 0.95 * most.score().performance;
  const plan::Outcome answer = PlanFor(scenario, Objective::kMinCarbon, limits);
  ASSERT_TRUE(answer.has_plan()) << answer.reason;
  EXPECT_GE(answer.score().performance, *limits.performance_floor * (1.0 - 1e-6));
  limits.performance_floor = 2.0 * most.score().performance;
  const plan::Outcome never = PlanFor(scenario, Objective::kMinCarbon, limits);
  EXPECT_EQ(never.status, plan::Termination::kInfeasible);
  EXPECT_THAT(never.reason, HasSubstr("floor"));
}

// The two solvers share nothing but the problem: neither's bound may lie above the other's plan.
TEST(Planner, ExactAndPriceAgreeWithinTheirGaps) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    scenario::Shape shape = Tiny(seed);
    if (seed > 1) {  // one proof of this size is enough: the exact solver takes long
      shape.jobs = 3;
      shape.slots = 6;
    }
    const Scenario scenario = scenario::Generate(shape);
    const plan::Outcome price = PlanFor(scenario, Objective::kMinCarbon);
    const plan::Outcome exact = PlanFor(scenario, Objective::kMinCarbon, {}, Solver::kExact);
    if (!price.missed.empty() || !exact.missed.empty()) continue;
    EXPECT_LE(exact.score().carbon_kg(), price.score().carbon_kg() * (1.0 + 1e-9)) << seed;
    EXPECT_LE(price.bound, exact.score().carbon_kg() * (1.0 + 1e-9)) << seed;
    EXPECT_LE(exact.bound, price.score().carbon_kg() * (1.0 + 1e-9)) << seed;
    EXPECT_THAT(plan::Violations(scenario, {}, exact.plan()), IsEmpty()) << seed;
  }
}

TEST(Planner, SaysWhatIsMissing) {
  Scenario scenario = scenario::Generate(Tiny(2));
  for (Watts& power : scenario.renewable) power = Watts{0.0};
  plan::Limits limits;
  limits.carbon_budget_kg = 1e-6;
  const plan::Outcome clean = PlanFor(scenario, Objective::kMaxPerformance, limits);
  EXPECT_EQ(clean.status, plan::Termination::kInfeasible);
  EXPECT_THAT(clean.reason, HasSubstr("carbon budget"));

  limits = {};
  limits.facility_cap = Watts{1.0};
  const plan::Outcome dark = PlanFor(scenario, Objective::kMinCarbon, limits);
  EXPECT_EQ(dark.status, plan::Termination::kInfeasible);
  EXPECT_THAT(dark.reason, HasSubstr("cap"));
}

TEST(Planner, RefusesWhatMakesNoSense) {
  Scenario scenario = scenario::Generate(Tiny(2));
  scenario.price_per_kwh.clear();
  const auto cost = MakePlan(scenario, {Objective::kMinCost, {}, Solver::kPrice, {}});
  ASSERT_FALSE(cost.has_value());
  EXPECT_EQ(cost.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(cost.error().where, "objective");
  plan::Limits limits;
  limits.carbon_budget_kg = -1.0;
  EXPECT_FALSE(MakePlan(scenario, {Objective::kMinCarbon, limits, Solver::kPrice, {}}).has_value());
}

TEST(PlanRequest, IsRefusedByTheFieldThatMakesNoSense) {
  const auto error_of = [](const std::function<void(PlanRequest&)>& change) {
    PlanRequest request;
    change(request);
    const Status valid = Validate(request);
    return valid ? std::string("fine") : valid.error().Line();
  };
  EXPECT_EQ(error_of([](PlanRequest&) {}), "fine");
  EXPECT_EQ(error_of([](PlanRequest& r) { r.limits.carbon_budget_kg = 0.0; }),
            "carbon budget: 0 is out of range; a number above 0");
  EXPECT_EQ(error_of([](PlanRequest& r) { r.limits.performance_floor = 0.0; }), "fine");
  EXPECT_EQ(error_of([](PlanRequest& r) { r.limits.performance_floor = -2.5; }),
            "performance floor: -2.5 is out of range; a number, 0 or more");
  EXPECT_EQ(error_of([](PlanRequest& r) { r.limits.facility_cap = Kilowatts(-3.0); }),
            "facility cap: -3 is out of range; a number above 0");
  EXPECT_EQ(error_of([](PlanRequest& r) { r.effort.time_limit = Seconds(0.0); }),
            "time limit: 0 is out of range; a number above 0");
  EXPECT_EQ(error_of([](PlanRequest& r) { r.effort.gap = -0.01; }), "gap: -1 is out of range; a number, 0 or more");
  EXPECT_EQ(error_of([](PlanRequest& r) { r.rounds = 0; }), "rounds: 0 is out of range; 1 or more");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of([nan](PlanRequest& r) { r.limits.carbon_budget_kg = nan; }),
            "carbon budget: nan is out of range; a number above 0");
}

TEST(Planner, NoPointOfAFrontierIsBeaten) {
  scenario::Shape shape = Tiny(4);
  shape.best_effort = 0.7;
  const Scenario scenario = scenario::Generate(shape);
  const PlanRequest request{Objective::kMinCarbon, {}, Solver::kPrice, {Seconds(30.0), 1e-3}};
  const auto frontier = MakeFrontier(scenario, request, TradeOffAxis::kCarbon, TradeOffAxis::kPerformance, 6);
  ASSERT_TRUE(frontier.has_value());
  ASSERT_GE(frontier->answers.size(), 2U);
  for (std::size_t i = 1; i < frontier->answers.size(); ++i) {
    EXPECT_GE(frontier->answers[i].outcome.score().carbon_kg(), frontier->answers[i - 1].outcome.score().carbon_kg());
    EXPECT_GT(frontier->answers[i].outcome.score().performance, frontier->answers[i - 1].outcome.score().performance);
  }
}

TEST(Planner, ExplainsAJob) {
  const Scenario scenario = scenario::Generate(Tiny(6));
  const PlanRequest request{Objective::kMinCarbon, {}, Solver::kPrice, {}};
  const auto answer = MakePlan(scenario, request);
  ASSERT_TRUE(answer.has_value() && answer->outcome.has_plan());
  const auto why = Explain(scenario, request, *answer, scenario.jobs[0].id);
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->slots.size(), scenario.slots);
  EXPECT_EQ(why->unit, "kg CO2e");
  EXPECT_FALSE(why->alternatives.empty());
  EXPECT_THAT(why->summary, HasSubstr(scenario.jobs[0].id));
  EXPECT_FALSE(Explain(scenario, request, *answer, "nobody").has_value());
}

}  // namespace
}  // namespace heliostat::planner
