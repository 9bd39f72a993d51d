#include "heliostat/planning/planner/risk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heliostat/base/core/random.h"
#include "heliostat/model/serving/latency.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/testing/small_scenario.h"

namespace heliostat::planner {
namespace {

using plan::testing::SmallScenario;
using scenario::Paths;
using scenario::Scenario;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PlanRequest Quick(plan::Objective objective = plan::Objective::kMinCarbon) {
  PlanRequest request;
  request.objective = objective;
  request.solver = Solver::kPrice;
  request.effort = {Seconds(2.0), 0.02};
  return request;
}

// The small scenario, served one request at a time: latency then never falls as the rate grows.
Scenario Unbatched() {
  Scenario s = SmallScenario();
  const scenario::InferencePoint fast = s.inference.Of("chat", "A40")[1];
  s.inference = {};
  s.inference.Add("chat", "A40", fast);
  return s;
}

// Rates and carbon that vary around those of the scenario.
Paths AnyPaths(const Scenario& s, unsigned seed, std::size_t count) {
  RandomStream random(seed);
  Paths paths;
  paths.count = count;
  paths.requests_per_s.resize(s.services.size());
  for (std::size_t k = 0; k < count; ++k) {
    const double of_path = random.Uniform(0.6, 1.5);
    auto& carbon = paths.carbon.emplace_back(s.carbon);
    for (auto& intensity : carbon) intensity = intensity * random.Uniform(0.8, 1.2);
    for (std::size_t i = 0; i < s.services.size(); ++i) {
      auto& rates = paths.requests_per_s[i].emplace_back(s.services[i].requests_per_s);
      for (double& rate : rates) rate *= of_path * random.Uniform(0.8, 1.2);
    }
  }
  return paths;
}

Paths OnePathOf(const Scenario& s) {
  Paths paths{.count = 1,
              .carbon = {s.carbon},
              .renewable = {s.renewable},
              .price_per_kwh = {s.price_per_kwh},
              .requests_per_s = {}};
  for (const auto& service : s.services) paths.requests_per_s.push_back({service.requests_per_s});
  return paths;
}

// Carbon of every path a multiple of the scenario's.
Paths ScaledCarbon(const Scenario& s, const std::vector<double>& factors) {
  Paths paths;
  paths.count = factors.size();
  for (const double factor : factors) {
    auto& carbon = paths.carbon.emplace_back(s.carbon);
    for (auto& intensity : carbon) intensity = intensity * factor;
  }
  return paths;
}

// Computed from the model alone: whether every slot of every service keeps its latency at the rate of the path.
std::size_t PathsInTime(const Scenario& s, const Paths& paths, const plan::Plan& plan) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < paths.count; ++k) {
    bool in_time = true;
    for (std::size_t i = 0; i < s.services.size(); ++i) {
      for (std::size_t t = 0; t < s.slots; ++t) {
        const plan::ServiceSlot& how = plan.services[i].slots[t];
        const double rate = paths.requests_per_s[i][k][t];
        if (rate == 0.0) continue;
        if (how.replicas == 0) {
          in_time = false;
          continue;
        }
        const auto& point = s.inference.Of(s.services[i].model, s.groups[how.group].gpu)[how.point];
        const Seconds latency =
            serving::LatencyPercentile({rate, point.batch, how.replicas, point.latency}, s.services[i].percentile);
        in_time = in_time && latency <= s.services[i].latency_slo;
      }
    }
    count += in_time ? 1 : 0;
  }
  return count;
}

TEST(CautiousScenarioTest, TakesTheHighestRatesOfTheLeastExtremePathsAndMeansOfTheRest) {
  Scenario s = SmallScenario();
  s.services[0].requests_per_s.assign(6, 1.0);
  Paths paths = ScaledCarbon(s, {0.5, 1.0, 3.0, 1.5});
  paths.requests_per_s = {{{10, 10, 10, 10, 10, 10}, {12, 9, 9, 9, 9, 9}, {8, 8, 8, 8, 8, 50}, {9, 9, 11, 9, 9, 9}}};
  const Scenario all = CautiousScenario(s, paths, 1.0);
  EXPECT_THAT(all.services[0].requests_per_s, ElementsAre(12, 10, 11, 10, 10, 50));
  for (std::size_t t = 0; t < s.slots; ++t) EXPECT_DOUBLE_EQ(all.carbon[t].value, 1.5 * s.carbon[t].value);
  EXPECT_EQ(all.renewable, s.renewable);
  // The path with 50 is the most extreme.
  EXPECT_THAT(CautiousScenario(s, paths, 0.75).services[0].requests_per_s, ElementsAre(12, 10, 11, 10, 10, 10));
  EXPECT_THAT(CautiousScenario(s, paths, 0.75).carbon, ::testing::ContainerEq(all.carbon));
}

TEST(CautiousScenarioTest, MorePathsNeverLowerARate) {
  const Scenario s = SmallScenario();
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Paths paths = AnyPaths(s, seed, 9);
    std::vector<double> before(s.slots, 0.0);
    for (const double share : {1e-9, 0.2, 0.5, 0.8, 0.9, 1.0}) {
      const auto rates = CautiousScenario(s, paths, share).services[0].requests_per_s;
      for (std::size_t t = 0; t < s.slots; ++t) EXPECT_GE(rates[t], before[t]);
      before = rates;
    }
  }
}

TEST(PlanAtRiskTest, KeepsLatencyAndDeadlinesInTheShareOfThePaths) {
  const Scenario s = Unbatched();
  for (unsigned seed = 0; seed < 4; ++seed) {
    const Paths paths = AnyPaths(s, seed, 10);
    for (const double share : {0.05, 0.5, 0.9, 1.0}) {
      const auto answer = MakePlanAtRisk(s, paths, Quick(), share);
      ASSERT_TRUE(answer.has_value()) << answer.error().Line();
      ASSERT_TRUE(answer->answer.outcome.has_plan()) << answer->answer.outcome.reason;
      ASSERT_TRUE(answer->risk.has_value());
      EXPECT_THAT(plan::Violations(CautiousScenario(s, paths, share), {}, answer->answer.outcome.plan()), IsEmpty());
      EXPECT_GE(answer->risk->share_kept, share);
      const std::size_t in_time = PathsInTime(s, paths, answer->answer.outcome.plan());
      EXPECT_DOUBLE_EQ(answer->risk->share_kept, static_cast<double>(in_time) / 10.0);
      EXPECT_GT(answer->risk->expected_carbon_kg, 0.0);
    }
  }
}

TEST(PlanAtRiskTest, CarbonGrowsWithTheShareWithinTheGap) {
  const Scenario s = Unbatched();
  const Paths paths = AnyPaths(s, 7, 8);
  double bound = 0.0;
  for (const double share : {1e-6, 0.25, 0.5, 0.75, 1.0}) {
    const auto answer = MakePlanAtRisk(s, paths, Quick(), share);
    ASSERT_TRUE(answer && answer->answer.outcome.has_plan());
    EXPECT_GE(answer->answer.outcome.score().carbon_kg(), bound * (1.0 - 1e-9)) << share;
    bound = std::max(bound, answer->answer.outcome.bound);
  }
}

TEST(PlanAtRiskTest, OnePathThatIsTheScenarioChangesNothing) {
  const Scenario s = SmallScenario();
  const auto plain = MakePlan(s, Quick());
  const auto risky = MakePlanAtRisk(s, OnePathOf(s), Quick(), 0.5);
  ASSERT_TRUE(plain && risky && plain->outcome.has_plan() && risky->answer.outcome.has_plan());
  ASSERT_EQ(plain->outcome.plan().jobs.size(), risky->answer.outcome.plan().jobs.size());
  for (std::size_t i = 0; i < s.jobs.size(); ++i) {
    EXPECT_EQ(plain->outcome.plan().jobs[i].segments, risky->answer.outcome.plan().jobs[i].segments) << s.jobs[i].id;
  }
  EXPECT_EQ(plain->outcome.plan().nodes_on, risky->answer.outcome.plan().nodes_on);
  EXPECT_EQ(plain->outcome.bound, risky->answer.outcome.bound);
  EXPECT_EQ(risky->risk->share_kept, 1.0);
  EXPECT_NEAR(risky->risk->expected_carbon_kg, plain->outcome.score().carbon_kg(), 1e-9);
  EXPECT_NEAR(risky->risk->carbon_kg_at_share, plain->outcome.score().carbon_kg(), 1e-9);
}

TEST(PlanAtRiskTest, ABudgetIsKeptInTheShareOfThePathsOrThereIsNoPlan) {
  Scenario s = SmallScenario();
  s.renewable.assign(s.slots, Watts{});  // every sample costs carbon
  s.jobs.back().samples = 1e6;           // and there is more to do than any budget below allows
  const Paths paths = ScaledCarbon(s, {0.6, 0.8, 1.2, 1.4});
  const auto least = MakePlan(s, Quick());
  ASSERT_TRUE(least && least->outcome.has_plan());
  const double least_kg = least->outcome.score().carbon_kg();

  PlanRequest request = Quick(plan::Objective::kMaxPerformance);
  request.limits.carbon_budget_kg = 1.5 * least_kg;
  const auto plain = MakePlan(s, request);
  ASSERT_TRUE(plain && plain->outcome.has_plan());
  const Risk careless = RiskOf(s, paths, request.limits, plain->outcome.plan(), 1.0);
  EXPECT_LT(careless.share_kept, 1.0) << "the budget is no test";
  const auto careful = MakePlanAtRisk(s, paths, request, 1.0);
  ASSERT_TRUE(careful && careful->answer.outcome.has_plan()) << careful->answer.outcome.reason;
  EXPECT_EQ(careful->risk->share_kept, 1.0);
  EXPECT_LE(careful->risk->carbon_kg_at_share, 1.5 * least_kg * (1 + 1e-9));
  EXPECT_LT(careful->answer.outcome.score().carbon_kg(), plain->outcome.score().carbon_kg());

  request.limits.carbon_budget_kg = 1.1 * least_kg;  // the last path needs 1.4 times the least
  const auto none = MakePlanAtRisk(s, paths, request, 1.0);
  ASSERT_TRUE(none.has_value());
  EXPECT_FALSE(none->answer.outcome.has_plan());
  EXPECT_THAT(none->answer.outcome.reason, HasSubstr("100 % of the paths"));
  const auto half = MakePlanAtRisk(s, paths, request, 0.5);
  ASSERT_TRUE(half && half->answer.outcome.has_plan());
  EXPECT_GE(half->risk->share_kept, 0.5);
}

TEST(RiskOfTest, CountsOverloadAndPowerAsBroken) {
  const Scenario s = SmallScenario();
  const auto plan = MakePlan(s, Quick());
  ASSERT_TRUE(plan && plan->outcome.has_plan());
  Paths paths;
  paths.count = 4;
  auto rates = s.services[0].requests_per_s;
  paths.requests_per_s = {{rates, rates, rates, rates}};
  paths.requests_per_s[0][1][2] = 1e5;  // no setting can serve it
  paths.requests_per_s[0][2].assign(6, 0.0);
  EXPECT_EQ(RiskOf(s, paths, {}, plan->outcome.plan(), 0.9).share_kept, 0.75);
  plan::Limits limits;
  Joules most;
  for (const auto& slot : plan->outcome.score().slots) most = std::max(most, slot.facility);
  limits.facility_cap = most / Seconds(s.step);
  EXPECT_EQ(RiskOf(s, paths, limits, plan->outcome.plan(), 0.9).share_kept, 0.75);
  limits.facility_cap = *limits.facility_cap * 0.5;
  EXPECT_EQ(RiskOf(s, paths, limits, plan->outcome.plan(), 0.9).share_kept, 0.0);
}

TEST(RiskOfTest, CarbonIsThatOfThePaths) {
  Scenario s = SmallScenario();
  s.renewable.assign(s.slots, Watts{});  // all of it from the grid, so that carbon scales
  const auto plan = MakePlan(s, Quick());
  ASSERT_TRUE(plan && plan->outcome.has_plan());
  const double kg = plan->outcome.score().carbon_kg();
  const Risk risk = RiskOf(s, ScaledCarbon(s, {4.0, 1.0, 2.0, 3.0}), {}, plan->outcome.plan(), 0.75);
  EXPECT_EQ(risk.paths, 4U);
  EXPECT_EQ(risk.share_asked, 0.75);
  EXPECT_NEAR(risk.expected_carbon_kg, 2.5 * kg, 1e-9 * kg);
  EXPECT_NEAR(risk.carbon_kg_at_share, 3.0 * kg, 1e-9 * kg);
}

TEST(PlanAtRiskTest, RefusesSharesAndScenariosThatMakeNoSense) {
  const Scenario s = SmallScenario();
  for (const double share : {0.0, -0.5, 1.01, std::numeric_limits<double>::quiet_NaN()}) {
    const auto answer = MakePlanAtRisk(s, OnePathOf(s), Quick(), share);
    ASSERT_FALSE(answer.has_value()) << share;
    EXPECT_EQ(answer.error().code, ErrorCode::kInvalidArgument);
  }
  const auto answer = MakePlanAtRisk(s, {}, Quick(), 0.9);
  ASSERT_FALSE(answer.has_value());
  EXPECT_THAT(answer.error().Line(), HasSubstr("option 'scenarios-csv'"));
}

}  // namespace
}  // namespace heliostat::planner
