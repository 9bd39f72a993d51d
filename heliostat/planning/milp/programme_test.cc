#include "heliostat/planning/milp/programme.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/planning/milp/branch.h"
#include "heliostat/planning/milp/extract.h"
#include "heliostat/planning/milp/testing/any_scenario.h"

namespace heliostat::milp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the tiny clusters

double Tolerance(double value) { return 1e-6 * (1.0 + std::abs(value)); }

// Every plan is a solution of the programme with no greater value, so its bound is a bound.
TEST(Programme, EveryPlanIsASolutionOfNoGreaterValue) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario s = AnyScenario(random);
    const plan::Problem problem{s, AnyWeights(random), {}};
    const plan::Plan plan = AnyPlan(s, random);
    if (!plan::Violations(s, {}, plan).empty()) continue;
    const std::optional<Programme> programme = Build(problem);
    ASSERT_TRUE(programme.has_value());
    const auto whole = WholePart(problem, *programme, plan);
    const Relaxed held = SolveRelaxed(Fixed(programme->linear, whole), Seconds{10.0});
    ASSERT_TRUE(held.ended == Ended::kSolved);
    const double value = plan::ValueOf(problem.weights, plan::ScoreOf(s, plan));
    ASSERT_TRUE(held.value <= value + Tolerance(value));
  }
}

TEST(Programme, ItsWholeColumnsAreWholeAndWithinTheirLimits) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario s = AnyScenario(random);
    const plan::Problem problem{s, AnyWeights(random), {}};
    const std::optional<Programme> programme = Build(problem);
    if (!programme) continue;
    const plan::Plan plan = AnyPlan(s, random);
    for (const auto& [column, value] : WholePart(problem, *programme, plan)) {
      ASSERT_TRUE(programme->linear.columns[static_cast<std::size_t>(column)].whole);
      ASSERT_TRUE(value == std::round(value));
      ASSERT_TRUE(value >= 0.0);
    }
  }
}

TEST(Programme, HasAsManyWholeNumbersAsItsSizeSays) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario s = AnyScenario(random);
    const plan::Problem problem{s, AnyWeights(random), {}};
    const std::optional<Programme> programme = Build(problem);
    if (!programme) continue;
    std::size_t whole = 0;
    for (const Linear::Column& column : programme->linear.columns) whole += column.whole ? 1 : 0;
    // The estimated size is within a factor of the true one.
    ASSERT_TRUE(whole <= 3 * ProgrammeSize(problem) + 1);
    ASSERT_TRUE(ProgrammeSize(problem) <= 3 * whole + 1);
  }
}

TEST(Programme, APlainImpossibilityIsSeenAtOnce) {
  scenario::Scenario s = Cluster({300}, 1, 1);
  AddPoint(s, 2, 10.0, 100.0);  // two workers on one GPU
  AddJob(s, 10.0, 1.0);
  EXPECT_FALSE(Build({s, kCarbon, {}}).has_value());
  s.jobs[0].deadline.reset();
  EXPECT_TRUE(Build({s, kCarbon, {}}).has_value()) << "what need not run may be impossible";
}

TEST(Programme, KnowsWhatHasToBeFinished) {
  scenario::Scenario s = Cluster({300});
  AddPoint(s, 1, 10.0, 100.0);
  AddJob(s, 10.0, 1.0);
  AddJob(s, 10.0);
  plan::Limits limits;
  EXPECT_TRUE(IsRequired({s, kCarbon, limits}, s.jobs[0]));
  EXPECT_FALSE(IsRequired({s, kCarbon, limits}, s.jobs[1]));
  limits.finish_best_effort = true;
  EXPECT_TRUE(IsRequired({s, kCarbon, limits}, s.jobs[1]));
}

TEST(Programme, CountsUseWhereSomethingHangsOnIt) {
  scenario::Scenario s = Cluster({300}, 2, 4);
  AddPoint(s, 1, 10.0, 100.0);
  scenario::Job& job = AddJob(s, 10.0, 1.0);
  EXPECT_FALSE(CountsUse(job, 1, s.groups[0]));
  EXPECT_TRUE(CountsUse(job, 8, s.groups[0])) << "more than a node";
  job.resume = Duration{60};
  EXPECT_TRUE(CountsUse(job, 1, s.groups[0]));
  job.resume = Duration{0};
  job.preemptible = false;
  EXPECT_TRUE(CountsUse(job, 1, s.groups[0]));
}

TEST(Programme, EnergyMayPayWhereItsPriceIsNegative) {
  scenario::Scenario s = Cluster({300, 300});
  s.price_per_kwh = {0.1, -0.1};
  const plan::Problem cost{s, kCost, {}};
  EXPECT_FALSE(EnergyMayPay(cost, 0));
  EXPECT_TRUE(EnergyMayPay(cost, 1));
  EXPECT_LT(MarginalWorth(cost, 1, true), 0.0);
  EXPECT_EQ(MarginalWorth(cost, 1, false), 0.0) << "on-site power has no price";
  const plan::Problem carbon{s, kCarbon, {}};
  EXPECT_FALSE(EnergyMayPay(carbon, 1));
  EXPECT_DOUBLE_EQ(MarginalWorth(carbon, 0, true), 0.3);
}

TEST(Programme, SlotsOfAJobTouchItsWindow) {
  scenario::Scenario s = Cluster({1, 1, 1, 1});
  scenario::Job& job = AddJob(s, 10.0, 2.5);
  EXPECT_EQ(SlotsOf(s, job), (std::pair<std::size_t, std::size_t>{0, 3}));
  job.submit = s.start + Duration{3600};
  EXPECT_EQ(SlotsOf(s, job), (std::pair<std::size_t, std::size_t>{1, 3}));
  job.deadline.reset();
  EXPECT_EQ(SlotsOf(s, job), (std::pair<std::size_t, std::size_t>{1, 4}));
}

}  // namespace
}  // namespace heliostat::milp
