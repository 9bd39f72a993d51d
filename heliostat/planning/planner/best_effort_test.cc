#include "heliostat/planning/planner/best_effort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "heliostat/model/scenario/generate.h"
#include "heliostat/planning/milp/testing/any_scenario.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/progress.h"
#include "heliostat/planning/plan/testing/small_scenario.h"

namespace heliostat::planner {
namespace {

using plan::Objective;
using plan::Termination;
using scenario::Scenario;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

plan::Outcome PlanFor(const Scenario& scenario, const plan::Limits& limits = {}, Solver solver = Solver::kPrice) {
  auto answer = MakePlan(scenario, {Objective::kMinCarbon, limits, solver, {Seconds(20.0), 0.02}});
  EXPECT_TRUE(answer.has_value()) << answer.error().Line();
  return std::move(answer->outcome);
}

Scenario Crowded(std::uint64_t seed) {
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = 14;
  shape.slots = 16;
  shape.gpus = 16;
  shape.gpus_per_node = 4;
  shape.groups = 1 + seed % 2;
  shape.load = 1.3;
  shape.slack = 1.5;
  shape.services = seed % 2;
  shape.points_per_worker_count = 3;
  return scenario::Generate(shape);
}

TEST(BestEffort, APlanIsTheAnswerWhereDeadlinesCannotBeKept) {
  int crowded = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Scenario scenario = Crowded(seed);
    PlanRequest request{Objective::kMinCarbon, {}, Solver::kPrice, {Seconds(20.0), 0.02}};
    request.rounds = 4;  // what holds of an answer does not depend on how good it is
    const auto answer = MakePlan(scenario, request);
    ASSERT_TRUE(answer.has_value()) << answer.error().Line();
    const plan::Outcome& outcome = answer->outcome;
    ASSERT_TRUE(outcome.has_plan()) << seed << " " << outcome.reason;
    EXPECT_THAT(plan::Violations(KeptBy(scenario, outcome), {}, outcome.plan()), IsEmpty()) << seed;
    EXPECT_EQ(outcome.status == Termination::kBestEffort, !outcome.missed.empty()) << seed;
    EXPECT_LE(outcome.least_misses, outcome.missed.size()) << seed;
    EXPECT_LE(outcome.bound, outcome.value) << seed;
    for (const plan::Miss& miss : outcome.missed) EXPECT_FALSE(miss.reason.empty()) << seed;
    crowded += outcome.missed.empty() ? 0 : 1;
  }
  EXPECT_GE(crowded, 3) << "the scenarios are not crowded";
}

TEST(BestEffort, SaysWhichJobMissesByHowMuchAndWhy) {
  Scenario scenario = plan::testing::SmallScenario();
  scenario.jobs[0].samples = 68.0 * 3600.0 * 4.0;  // four hours at the fastest setting; the window has three
  const plan::Outcome outcome = PlanFor(scenario);
  ASSERT_EQ(outcome.status, Termination::kBestEffort);
  ASSERT_EQ(outcome.missed.size(), 1U);
  EXPECT_EQ(outcome.least_misses, 1U);
  EXPECT_EQ(outcome.missed[0].job, 0U);
  EXPECT_GE(*outcome.missed[0].late, Duration{3600});
  EXPECT_THAT(outcome.missed[0].reason,
              HasSubstr("its window of 3 h until its deadline is shorter than its fastest run of 4 h 2 min (8 workers "
                        "at 300 W in group a40); a deadline of 2023-06-05T04:02:00Z"));
  EXPECT_THAT(outcome.reason, HasSubstr("1 of 2 deadlines are missed, and every plan misses at least 1; job tight"));
}

TEST(BestEffort, WhatCannotBeDoneWithinTheHorizonIsSaid) {
  Scenario scenario = plan::testing::SmallScenario();
  scenario.jobs[0].samples = 1e12;
  const plan::Outcome outcome = PlanFor(scenario);
  ASSERT_EQ(outcome.status, Termination::kBestEffort);
  ASSERT_EQ(outcome.missed.size(), 1U);
  EXPECT_FALSE(outcome.missed[0].late.has_value());
  EXPECT_THAT(outcome.missed[0].reason, HasSubstr("it is not done within the horizon"));
}

TEST(BestEffort, IsExplained) {
  Scenario scenario = plan::testing::SmallScenario();
  scenario.jobs[0].samples = 68.0 * 3600.0 * 4.0;
  const PlanRequest request{Objective::kMinCarbon, {}, Solver::kPrice, {}};
  const auto answer = MakePlan(scenario, request);
  ASSERT_TRUE(answer.has_value() && answer->outcome.has_plan());
  const auto late = Explain(scenario, request, *answer, "tight");
  ASSERT_TRUE(late.has_value());
  EXPECT_THAT(late->summary, HasSubstr("late: its window of 3 h"));
  const auto other = Explain(scenario, request, *answer, "loose");
  ASSERT_TRUE(other.has_value());
  for (const auto& alternative : other->alternatives) EXPECT_THAT(alternative.note, ::testing::Not(HasSubstr("tight")));
}

TEST(BestEffort, ATradeOffHasPointsThatMissTheSameDeadlines) {
  Scenario scenario = plan::testing::SmallScenario();
  scenario.jobs[0].samples = 68.0 * 3600.0 * 4.0;
  const PlanRequest request{Objective::kMinCarbon, {}, Solver::kPrice, {Seconds(20.0), 0.01}};
  const auto frontier = MakeFrontier(scenario, request, TradeOffAxis::kCarbon, TradeOffAxis::kPerformance, 4);
  ASSERT_TRUE(frontier.has_value());
  ASSERT_GE(frontier->answers.size(), 2U);
  for (const plan::PlanAnswer& answer : frontier->answers) {
    EXPECT_EQ(answer.outcome.status, Termination::kBestEffort);
    ASSERT_EQ(answer.outcome.missed.size(), 1U);
    EXPECT_EQ(answer.outcome.missed[0].job, 0U);
  }
}

TEST(BestEffort, TheLeastWeightMisses) {
  Scenario scenario = milp::testing::Cluster({100, 100, 100, 100}, 1, 1);
  milp::testing::AddPoint(scenario, 1, 10.0, 200.0);
  for (int i = 0; i < 3; ++i) milp::testing::AddJob(scenario, 10.0 * 3600.0 * 0.9, 2.0).id = std::to_string(i);
  scenario.jobs[0].weight = 2.0;
  scenario.jobs[2].weight = 1.5;
  const plan::Outcome outcome = PlanFor(scenario);
  ASSERT_EQ(outcome.missed.size(), 1U);
  EXPECT_EQ(outcome.missed[0].job, 1U);
  EXPECT_EQ(outcome.least_misses, 1U);
  EXPECT_THAT(outcome.missed[0].reason, HasSubstr("GPUs are short between"));
  EXPECT_THAT(outcome.missed[0].reason, HasSubstr("it weighs 1, and the least weight misses"));
  EXPECT_LE(*outcome.missed[0].late, Duration{3600}) << "as early as it fits";
}

// The exact solver tries every set of deadlines to keep.
std::size_t FewestMisses(const Scenario& scenario) {
  const std::size_t jobs = scenario.jobs.size();
  std::size_t fewest = jobs;
  for (std::size_t kept = 0; kept < (std::size_t{1} << jobs); ++kept) {
    Scenario some = scenario;
    std::size_t missed = 0;
    for (std::size_t j = 0; j < jobs; ++j) {
      if ((kept >> j & 1U) != 0 || !some.jobs[j].deadline) continue;
      some.jobs[j].deadline.reset();
      ++missed;
    }
    if (missed >= fewest) continue;
    const PlanRequest request{Objective::kMinCarbon, {}, Solver::kExact, {Seconds(10.0), 0.2}};
    if (SolveRequest(some, request, {}).answer.outcome.has_plan()) fewest = missed;
  }
  return fewest;
}

TEST(BestEffortLaw, TheBoundIsNoMoreThanTheFewestMissesAndThePlanHasHardlyMore) {
  std::size_t proven = 0;
  std::size_t fewest = 0;
  std::size_t planned = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    RandomStream random(seed);
    Scenario scenario = milp::testing::AnyScenario(random);
    scenario.groups[0].nodes = 1;
    scenario.groups[0].gpus_per_node = 2;
    for (scenario::Job& job : scenario.jobs) job.samples *= 4.0;
    const plan::Outcome outcome = PlanFor(scenario);
    ASSERT_TRUE(outcome.has_plan()) << seed << " " << outcome.reason;
    const std::size_t least = FewestMisses(scenario);
    EXPECT_LE(outcome.least_misses, least) << seed;
    EXPECT_LE(least, outcome.missed.size()) << seed;
    proven += outcome.least_misses;
    fewest += least;
    planned += outcome.missed.size();
  }
  EXPECT_GE(fewest, 6U) << "the scenarios are not crowded";
  EXPECT_GE(2 * proven, fewest) << "the bound proves little";
  EXPECT_LE(planned, fewest + 1);
}

TEST(BestEffort, ABudgetThatCannotBeKeptNamesOnlyTheBudget) {
  const Scenario scenario = plan::testing::SmallScenario();
  const plan::Outcome least = PlanFor(scenario);
  ASSERT_TRUE(least.has_plan());
  plan::Limits limits;
  limits.carbon_budget_kg = least.bound + 0.2 * (least.value - least.bound);
  const plan::Outcome never = PlanFor(scenario, limits);
  ASSERT_FALSE(never.has_plan());
  EXPECT_EQ(never.status, Termination::kNoPlan);
  EXPECT_THAT(never.reason, HasSubstr("no plan was found that keeps the carbon budget of"));
  EXPECT_THAT(never.reason, HasSubstr("it is proven that none emits less than"));
  EXPECT_THAT(never.reason, HasSubstr("would be enough"));
  EXPECT_THAT(never.reason, ::testing::Not(HasSubstr("floor")));
}

TEST(BestEffort, ABudgetOnACrowdedClusterProvesNothing) {
  Scenario scenario = plan::testing::SmallScenario();
  scenario.jobs[0].samples = 68.0 * 3600.0 * 4.0;
  for (Watts& power : scenario.renewable) power = Watts{0.0};
  plan::Limits limits;
  limits.carbon_budget_kg = 0.1;
  const plan::Outcome never = PlanFor(scenario, limits);
  EXPECT_EQ(never.status, Termination::kNoPlan);
  EXPECT_THAT(never.reason, HasSubstr("not every deadline can be kept; with one missed, no plan emits less than"));
}

TEST(Rounds, GiveTheSamePlanHoweverShortTheTimeLimitIs) {
  const Scenario scenario = Crowded(2);
  PlanRequest request{Objective::kMinCarbon, {}, Solver::kAuto, {Seconds(60.0), 1e-3}};
  request.rounds = 5;
  const auto slow = MakePlan(scenario, request);
  request.effort.time_limit = Seconds(1e-3);
  const auto fast = MakePlan(scenario, request);
  ASSERT_TRUE(slow.has_value() && fast.has_value());
  ASSERT_TRUE(slow->outcome.has_plan() && fast->outcome.has_plan());
  EXPECT_EQ(slow->outcome.value, fast->outcome.value);
  EXPECT_FALSE(slow->outcome.time_decided);
  EXPECT_FALSE(fast->outcome.time_decided);
}

// Larger than what the exact solver takes.
Scenario Medium(std::uint64_t seed) {
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = 10;
  shape.slots = 24;
  shape.gpus = 32;
  shape.groups = 2;
  shape.points_per_worker_count = 4;
  return scenario::Generate(shape);
}

TEST(RoundsLaw, MoreRoundsNeverGiveAWorsePlan) {
  int better = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const Scenario scenario = Medium(seed);
    PlanRequest request{Objective::kMinCarbon, {}, Solver::kPrice, {Seconds(60.0), 1e-3}};
    double first = 0.0;
    double before = 0.0;
    for (const int rounds : {1, 2, 4, 50}) {
      request.rounds = rounds;
      const auto answer = MakePlan(scenario, request);
      ASSERT_TRUE(answer.has_value());
      const plan::Outcome& outcome = answer->outcome;
      ASSERT_TRUE(outcome.has_plan()) << outcome.reason;
      EXPECT_TRUE(plan::Violations(scenario, {}, outcome.plan()).empty()) << seed;
      EXPECT_GE(outcome.value, outcome.bound) << seed;
      EXPECT_EQ(outcome.rounds_decided, rounds < 50 && outcome.rounds_decided) << "it ends before without progress";
      if (rounds == 1) first = outcome.value;
      if (rounds > 1) EXPECT_LE(outcome.value, before) << seed << " " << rounds;
      before = outcome.value;
    }
    better += before < first ? 1 : 0;
  }
  EXPECT_GE(better, 1);
}

TEST(ProgressLaw, TheValueNeverRisesWhileASearchGoesOn) {
  std::vector<double> values;
  const Watcher watcher = [&](double /*share*/, double value, double /*bound*/) { values.push_back(value); };
  PlanRequest request{Objective::kMinCarbon, {}, Solver::kPrice, {Seconds(60.0), 1e-3}};
  request.rounds = 6;
  ASSERT_TRUE(MakePlan(Medium(2), request, watcher).has_value());
  ASSERT_GE(values.size(), 2U);
  EXPECT_TRUE(std::ranges::is_sorted(values, std::greater<>{}));
}

TEST(TimeLimit, IsSaidToHaveDecided) {
  scenario::Shape shape;
  shape.jobs = 60;
  shape.slots = 48;
  const Scenario scenario = scenario::Generate(shape);
  const auto answer = MakePlan(scenario, {Objective::kMinCarbon, {}, Solver::kPrice, {Seconds(1e-3), 1e-3}});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->outcome.time_decided);
}

}  // namespace
}  // namespace heliostat::planner
