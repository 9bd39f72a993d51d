#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "heliostat/planning/milp/testing/any_scenario.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/testing/small_scenario.h"
#include "heliostat/planning/planner/planner.h"
#include "heliostat/planning/planner/reasons.h"

namespace heliostat::planner {
namespace {

using plan::Objective;
using scenario::Scenario;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kGap = 1e-3;
constexpr std::uint64_t kScenarios = 4;

Scenario AnyTiny(std::uint64_t seed) {
  RandomStream random(seed);
  return milp::testing::AnyScenario(random);
}

PlanRequest Asking(Objective objective, const plan::Limits& limits = {}, Solver solver = Solver::kExact) {
  return {objective, limits, solver, {Seconds(20.0), kGap}};
}

plan::Outcome PlanFor(const Scenario& scenario, const PlanRequest& request) {
  auto answer = MakePlan(scenario, request);
  EXPECT_TRUE(answer.has_value()) << answer.error().Line();
  return std::move(answer->outcome);
}

// Whether there is a plan that misses no deadline.
bool KeepsAll(const plan::Outcome& outcome) {
  return outcome.has_plan() && outcome.status != plan::Termination::kBestEffort;
}

// The allowed difference between a value and a better one of another plan: the requested gap.
double Room(double value) { return kGap * std::abs(value) + 1e-9; }

TEST(ObjectiveLaw, NoOtherObjectivesPlanIsBetterAtWhatAnObjectiveMinimises) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= kScenarios; ++seed) {
    const Scenario scenario = AnyTiny(seed);
    const std::vector<Objective> objectives{Objective::kMinCarbon, Objective::kMinCost, Objective::kMinEnergy};
    std::vector<plan::Outcome> outcomes;
    for (const Objective objective : objectives) outcomes.push_back(PlanFor(scenario, Asking(objective)));
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      ASSERT_EQ(KeepsAll(outcomes[i]), KeepsAll(outcomes[0])) << "objectives do not decide what is feasible";
      if (!KeepsAll(outcomes[i])) continue;
      EXPECT_THAT(plan::Violations(scenario, {}, outcomes[i].plan()), IsEmpty()) << seed;
      for (const plan::Outcome& other : outcomes) {
        if (!KeepsAll(other)) continue;
        const double theirs = plan::ValueOf(objectives[i], other.score());
        EXPECT_LE(outcomes[i].value, theirs + Room(theirs)) << seed << " " << NameOf(objectives[i]);
        EXPECT_LE(outcomes[i].bound, theirs + 1e-9) << seed << " " << NameOf(objectives[i]);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 9) << "the scenarios are nearly all infeasible";
}

TEST(ObjectiveLaw, TheValueIsThatOfThePlansOwnScore) {
  for (std::uint64_t seed = 1; seed <= kScenarios; ++seed) {
    const Scenario scenario = AnyTiny(seed);
    for (const Objective objective : {Objective::kMinCarbon, Objective::kMaxPerformance, Objective::kMaxPpc}) {
      const plan::Outcome outcome = PlanFor(scenario, Asking(objective, {}, Solver::kPrice));
      if (!outcome.has_plan()) continue;
      const double recomputed = plan::ValueOf(objective, plan::ScoreOf(scenario, outcome.plan()));
      EXPECT_NEAR(outcome.value, recomputed, 1e-9 * std::abs(recomputed)) << seed << " " << NameOf(objective);
      if (IsMaximised(objective)) {
        EXPECT_GE(outcome.bound, outcome.value) << seed << " " << NameOf(objective);
      } else {
        EXPECT_LE(outcome.bound, outcome.value) << seed << " " << NameOf(objective);
      }
    }
  }
}

TEST(LimitLaw, ATighterLimitNeverGivesABetterPlan) {
  for (std::uint64_t seed = 1; seed <= kScenarios; ++seed) {
    const Scenario scenario = AnyTiny(seed);
    const plan::Outcome free = PlanFor(scenario, Asking(Objective::kMinCarbon));
    if (!KeepsAll(free)) continue;
    plan::Limits all_on;
    all_on.right_sizing = false;
    plan::Limits all_done;
    all_done.finish_best_effort = true;
    plan::Limits capped;
    double most = 0.0;
    for (const auto& slot : free.score().slots) {
      most = std::max(most, slot.facility.value / static_cast<double>(scenario.step.count()));
    }
    capped.facility_cap = Watts{0.95 * most};
    for (const plan::Limits& limits : {all_on, all_done, capped}) {
      const plan::Outcome held = PlanFor(scenario, Asking(Objective::kMinCarbon, limits));
      if (!KeepsAll(held)) continue;
      EXPECT_THAT(plan::Violations(scenario, limits, held.plan()), IsEmpty()) << seed;
      EXPECT_GE(held.value + Room(held.value), free.value) << seed;
    }
  }
}

TEST(LimitLaw, ABudgetBelowTheProvenLeastIsRefusedAndOneAtThePlanIsNot) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= kScenarios; ++seed) {
    const Scenario scenario = AnyTiny(seed);
    const plan::Outcome least = PlanFor(scenario, Asking(Objective::kMinCarbon));
    if (!KeepsAll(least) || least.bound < 1e-6) continue;
    ++tried;
    plan::Limits limits;
    limits.carbon_budget_kg = 0.9 * least.bound;
    const plan::Outcome never = PlanFor(scenario, Asking(Objective::kMinEnergy, limits));
    EXPECT_EQ(never.status, plan::Termination::kInfeasible) << seed;
    EXPECT_FALSE(never.reason.empty()) << seed;
    limits.carbon_budget_kg = least.value * 1.01;
    const plan::Outcome kept = PlanFor(scenario, Asking(Objective::kMinEnergy, limits));
    ASSERT_TRUE(kept.has_plan()) << seed << " " << kept.reason;
    EXPECT_LE(kept.score().carbon_kg(), *limits.carbon_budget_kg * (1.0 + 1e-6)) << seed;
  }
  EXPECT_GE(tried, 1);
}

TEST(LimitLaw, TheSameRequestGivesTheSamePlan) {
  const Scenario scenario = plan::testing::SmallScenario();
  for (const Objective objective : {Objective::kMinCarbon, Objective::kMinCost}) {
    const plan::Outcome once = PlanFor(scenario, Asking(objective, {}, Solver::kPrice));
    const plan::Outcome again = PlanFor(scenario, Asking(objective, {}, Solver::kPrice));
    ASSERT_TRUE(once.has_plan() && again.has_plan());
    EXPECT_EQ(once.value, again.value);
    EXPECT_EQ(once.bound, again.bound);
    EXPECT_EQ(once.plan().nodes_on, again.plan().nodes_on);
  }
}

TEST(FrontierLaw, EveryPairOfAxesGivesPointsThatNoOtherBeats) {
  const Scenario scenario = plan::testing::SmallScenario();
  PlanRequest request = Asking(Objective::kMinCarbon, {}, Solver::kPrice);
  request.effort.gap = 0.02;
  const auto frontier = MakeFrontier(scenario, request, TradeOffAxis::kCost, TradeOffAxis::kCarbon, 4);
  ASSERT_TRUE(frontier.has_value());
  ASSERT_GE(frontier->answers.size(), 1U);
  for (std::size_t i = 0; i < frontier->answers.size(); ++i) {
    const plan::Score& score = frontier->answers[i].outcome.score();
    EXPECT_THAT(plan::Violations(scenario, {}, frontier->answers[i].outcome.plan()), IsEmpty());
    if (i == 0) continue;
    const plan::Score& before = frontier->answers[i - 1].outcome.score();
    EXPECT_GT(score.total.cost, before.total.cost) << "in order of the first axis";
    EXPECT_LT(score.carbon_kg(), before.carbon_kg()) << "what costs more emits less";
  }
}

TEST(FrontierTest, RefusesOneAxisTwiceAndFewerThanTwoPoints) {
  const Scenario scenario = plan::testing::SmallScenario();
  const PlanRequest request = Asking(Objective::kMinCarbon);
  EXPECT_EQ(MakeFrontier(scenario, request, TradeOffAxis::kCarbon, TradeOffAxis::kCarbon, 5).error().where, "axes");
  EXPECT_EQ(MakeFrontier(scenario, request, TradeOffAxis::kCarbon, TradeOffAxis::kCost, 1).error().where, "points");
}

TEST(FrontierTest, AnInfeasibleScenarioGivesTheOneAnswerThatSaysSo) {
  const Scenario scenario = plan::testing::SmallScenario();
  const PlanRequest request = Asking(Objective::kMinCarbon, {.facility_cap = Watts{1.0}});
  const auto frontier = MakeFrontier(scenario, request, TradeOffAxis::kCarbon, TradeOffAxis::kEnergy, 5);
  ASSERT_TRUE(frontier.has_value());
  ASSERT_EQ(frontier->answers.size(), 1U);
  EXPECT_THAT(frontier->answers[0].outcome.reason, HasSubstr("cap"));
}

TEST(ReasonTest, ACapCountsSleepingNodesOrIdleOnes) {
  const Scenario scenario = plan::testing::IdleCluster();  // asleep 6 x 15 W, idle 6 x 350 W and 20 x 30 W, PUE 1.2
  plan::Limits limits;
  limits.facility_cap = Watts{6 * 15 * 1.2 + 0.1};
  EXPECT_FALSE(WhyImpossible(scenario, limits).has_value());
  limits.right_sizing = false;
  EXPECT_THAT(*WhyImpossible(scenario, limits), HasSubstr("draws 3.240 kW with every node on and idle"));
  limits.right_sizing = true;
  limits.facility_cap = Watts{6 * 15 * 1.2 - 0.1};
  EXPECT_THAT(*WhyImpossible(scenario, limits), HasSubstr("draws 0.108 kW with every node asleep"));
}

TEST(ReasonTest, TimesAreRoundedUpToMinutes) {
  EXPECT_EQ(InWords(Seconds(0.0)), "0 min");
  EXPECT_EQ(InWords(Seconds(1.0)), "1 min");
  EXPECT_EQ(InWords(Seconds(3600.0)), "1 h");
  EXPECT_EQ(InWords(Seconds(3601.0)), "1 h 1 min");
  EXPECT_EQ(InWords(Seconds(5 * 3600.0 + 12 * 60.0)), "5 h 12 min");
}

TEST(ExplainLaw, SlotsAndAlternativesAgreeWithThePlanAndItsScore) {
  const Scenario scenario = plan::testing::SmallScenario();
  for (const Objective objective : {Objective::kMinCarbon, Objective::kMinCost, Objective::kMinEnergy}) {
    const PlanRequest request = Asking(objective, {}, Solver::kPrice);
    const auto answer = MakePlan(scenario, request);
    ASSERT_TRUE(answer.has_value() && answer->outcome.has_plan());
    for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
      const auto why = Explain(scenario, request, *answer, scenario.jobs[i].id);
      ASSERT_TRUE(why.has_value());
      ASSERT_EQ(why->slots.size(), scenario.slots);
      for (std::size_t t = 0; t < scenario.slots; ++t) {
        EXPECT_EQ(why->slots[t].time, scenario.SlotSpan(t).begin);
        bool runs = false;
        for (const auto& segment : answer->outcome.plan().jobs[i].segments) {
          runs = runs || !segment.span.Intersect(scenario.SlotSpan(t)).empty();
        }
        EXPECT_EQ(why->slots[t].state.starts_with("runs"), runs) << why->job << " " << why->slots[t].state;
      }
      for (const auto& other : why->alternatives) {
        EXPECT_EQ(other.note.empty(), other.feasible) << other.what << ": " << other.note;
        if (objective == Objective::kMinCarbon) EXPECT_DOUBLE_EQ(other.extra, other.extra_carbon_kg) << other.what;
      }
    }
  }
}

TEST(ExplainLaw, NoFeasibleAlternativeOfAJobWithADeadlineIsBetterThanTheBoundAllows) {
  for (std::uint64_t seed = 1; seed <= kScenarios; ++seed) {
    const Scenario scenario = AnyTiny(seed);
    const PlanRequest request = Asking(Objective::kMinCarbon);
    const auto answer = MakePlan(scenario, request);
    ASSERT_TRUE(answer.has_value());
    if (!KeepsAll(answer->outcome)) continue;
    for (const scenario::Job& job : scenario.jobs) {
      const auto why = Explain(scenario, request, *answer, job.id);
      ASSERT_TRUE(why.has_value());
      for (const auto& other : why->alternatives) {
        if (!other.feasible) continue;
        EXPECT_GE(answer->outcome.value + other.extra, answer->outcome.bound - 1e-9) << seed << " " << other.what;
      }
    }
  }
}

TEST(ExplainTest, WithoutAPlanThereIsNothingToExplain) {
  const Scenario scenario = plan::testing::SmallScenario();
  const PlanRequest request = Asking(Objective::kMinCarbon, {.facility_cap = Watts{1.0}});
  const auto answer = MakePlan(scenario, request);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(Explain(scenario, request, *answer, "tight").error().code, ErrorCode::kInfeasible);
}

TEST(SolverTest, NamesAreReadAndOthersRefused) {
  EXPECT_EQ(*ParseSolver("auto"), Solver::kAuto);
  EXPECT_EQ(*ParseSolver("exact"), Solver::kExact);
  EXPECT_EQ(*ParseSolver("price"), Solver::kPrice);
  EXPECT_EQ(ParseSolver("magic").error().Line(), "solver: magic is not known; auto, exact, price");
}

}  // namespace
}  // namespace heliostat::planner
