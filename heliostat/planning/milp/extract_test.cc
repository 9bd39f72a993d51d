#include "heliostat/planning/milp/extract.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heliostat/planning/milp/branch.h"
#include "heliostat/planning/milp/draft.h"
#include "heliostat/planning/milp/polish.h"
#include "heliostat/planning/milp/testing/any_scenario.h"

namespace heliostat::milp {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the tiny clusters

struct Solution {
  std::optional<Programme> programme;
  Branched branched;
};

Solution SolutionOf(const plan::Problem& problem) {
  Solution solution{Build(problem), {}};
  if (solution.programme) solution.branched = SolveWhole(solution.programme->linear, {}, {Seconds{10.0}, 1e-6});
  return solution;
}

// Problems made at random, each with its solution: solved once for all tests.
struct Solved {
  explicit Solved(std::uint64_t seed) {
    RandomStream random(seed);
    scenario = AnyScenario(random);
    weights = AnyWeights(random);
    solution = SolutionOf(problem());
  }
  plan::Problem problem() const { return {scenario, weights, {}}; }

  scenario::Scenario scenario;
  plan::Weights weights;
  Solution solution;
};

const std::vector<Solved>& AllSolved() {
  static const std::vector<Solved> kAll = [] {
    std::vector<Solved> all;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) all.emplace_back(seed);
    return all;
  }();
  return kAll;
}

double ValueOf(const plan::Problem& problem, const plan::Plan& plan) {
  return plan::ValueOf(problem.weights, plan::ScoreOf(problem.scenario, plan));
}

// Jobs that pay nothing for starting and nodes that are always on: the programme leaves out nothing, so that its
// solution by the second is a plan of just its value.
TEST(Extract, WhereTheProgrammeIsTheProblemThePlanHasItsValue) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    scenario::Scenario s = AnyScenario(random);
    for (scenario::Job& job : s.jobs) {
      job.resume = Duration{0};
      job.preemptible = true;
      job.max_workers = 1;
    }
    s.jobs.resize(1);
    for (double& price : s.price_per_kwh) price = std::abs(price);
    plan::Limits limits;
    limits.right_sizing = false;
    const plan::Problem problem{s, AnyWeights(random), limits};
    const Solution solution = SolutionOf(problem);
    if (!solution.programme || solution.branched.values.empty()) continue;
    const plan::Plan plan = Extract(problem, *solution.programme, solution.branched.values);
    ASSERT_TRUE(plan::Violations(s, limits, plan).empty());
    const double value = ValueOf(problem, plan);
    ASSERT_TRUE(value >= solution.branched.bound - 1e-6 * (1.0 + std::abs(value)));
    // Whole seconds add a second of power in some places.
    ASSERT_TRUE(value <= solution.branched.bound + 1e-3 * (1.0 + std::abs(value)));
  }
}

TEST(Extract, APlanIsNeverBelowTheProgrammesBound) {
  for (const Solved& solved : AllSolved()) {
    SCOPED_TRACE(&solved - AllSolved().data() + 1);
    const scenario::Scenario& s = solved.scenario;
    const plan::Problem problem = solved.problem();
    const Solution& solution = solved.solution;
    if (!solution.programme || solution.branched.values.empty()) continue;
    const plan::Plan plan = Extract(problem, *solution.programme, solution.branched.values);
    if (!plan::Violations(s, {}, plan).empty()) continue;
    const double value = ValueOf(problem, plan);
    ASSERT_TRUE(value >= solution.branched.bound - 1e-6 * (1.0 + std::abs(value)));
  }
}

// A fractional solution also gives segments inside windows and groups.
TEST(Extract, FractionsBecomeSegmentsInsideTheWindow) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario s = AnyScenario(random);
    const plan::Problem problem{s, AnyWeights(random), {}};
    const std::optional<Programme> programme = Build(problem);
    if (!programme) continue;
    const Relaxed relaxed = SolveRelaxed(programme->linear, Seconds{10.0});
    if (relaxed.ended != Ended::kSolved) continue;
    const plan::Plan plan = Extract(problem, *programme, relaxed.values);
    ASSERT_TRUE(plan.jobs.size() == s.jobs.size());
    for (std::size_t job = 0; job < s.jobs.size(); ++job) {
      const Interval window = s.WindowOf(s.jobs[job]);
      Instant until = window.begin;
      for (const plan::Segment& segment : plan.jobs[job].segments) {
        ASSERT_TRUE(segment.span.begin >= until);
        ASSERT_TRUE(segment.span.end <= window.end);
        ASSERT_TRUE(!segment.span.empty());
        until = segment.span.end;
      }
    }
  }
}

// A draft has the work of the solution.
TEST(Draft, PortionsLieInTheWindowAndMakeTheSamples) {
  for (const Solved& solved : AllSolved()) {
    SCOPED_TRACE(&solved - AllSolved().data() + 1);
    const scenario::Scenario& s = solved.scenario;
    const plan::Problem problem = solved.problem();
    const Solution& solution = solved.solution;
    if (!solution.programme || solution.branched.values.empty()) continue;
    for (std::size_t job = 0; job < s.jobs.size(); ++job) {
      const auto draft = DraftOf(problem, *solution.programme, solution.branched.values, job);
      if (!draft) {
        ASSERT_TRUE(!IsRequired(problem, s.jobs[job]));
        continue;
      }
      const auto& points = s.training.Of(s.jobs[job].model, s.groups[draft->group].gpu);
      double samples = 0.0;
      for (const Portion& portion : draft->portions) {
        ASSERT_TRUE(portion.available.begin >= s.WindowOf(s.jobs[job]).begin);
        ASSERT_TRUE(portion.available.end <= s.WindowOf(s.jobs[job]).end);
        ASSERT_TRUE(portion.length().count() >= 0.0);
        for (const Portion::Part& part : portion.useful) {
          ASSERT_TRUE(points[part.point].workers == portion.workers);
          samples += points[part.point].samples_per_s * part.length.count();
        }
      }
      ASSERT_TRUE(samples >= draft->samples * (1.0 - 1e-4) - 1e-3);
    }
  }
}

// Polishing breaks no constraint and never raises the value.
TEST(Polish, NeverWorsensNorBreaksAPlan) {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed);
    const scenario::Scenario s = AnyScenario(random);
    const plan::Problem problem{s, AnyWeights(random), {}};
    plan::Plan plan = AnyPlan(s, random);
    if (!plan::Violations(s, {}, plan).empty()) continue;
    const double before = ValueOf(problem, plan);
    int steps = 0;
    Polish(
        problem, [&] { return ++steps < 50; }, plan);
    ASSERT_TRUE(plan::Violations(s, {}, plan).empty());
    ASSERT_TRUE(ValueOf(problem, plan) <= before + 1e-9 * (1.0 + std::abs(before)));
  }
}

TEST(Polish, LeavesAPlanAloneWhenThereIsNoTime) {
  scenario::Scenario s = Cluster({500, 100});
  AddPoint(s, 1, 10.0, 220.0);
  AddJob(s, 36000.0, 2.0);
  plan::Plan plan = plan::EmptyPlan(s);
  plan.jobs[0].segments = {{s.SlotSpan(0), 0, 0}};
  plan.nodes_on[0] = {1, 1};
  const plan::Problem problem{s, kCarbon, {}};
  plan::Plan same = plan;
  Polish(
      problem, [] { return false; }, same);
  EXPECT_LE(ValueOf(problem, same), ValueOf(problem, plan));
  Polish(
      problem, [] { return true; }, plan);
  EXPECT_EQ(plan.jobs[0].segments.front().span, s.SlotSpan(1)) << "the clean hour";
  EXPECT_EQ(plan.nodes_on[0][0], 0);
}

TEST(Nodes, ThoseThatHoldSomethingAreOn) {
  scenario::Scenario s = Cluster({300, 300, 300}, 3, 4);
  s.groups[0].wake_energy = KilowattHours(1.0);
  AddPoint(s, 4, 10.0, 400.0);
  AddJob(s, 36000.0, 3.0);
  plan::Plan plan = plan::EmptyPlan(s);
  plan.jobs[0].segments = {{s.SlotSpan(0), 0, 0}, {s.SlotSpan(2), 0, 0}};
  const plan::Problem problem{s, kCarbon, {}};
  SetNodes(problem, WorthOfSlots(problem, {1.0, 1.0, 1.0}), plan);
  EXPECT_EQ(plan.nodes_on[0][0], 1);
  EXPECT_EQ(plan.nodes_on[0][1], 1) << "waking costs more than staying on";
  EXPECT_EQ(plan.nodes_on[0][2], 1);
}

}  // namespace
}  // namespace heliostat::milp
