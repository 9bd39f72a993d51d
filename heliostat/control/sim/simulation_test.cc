#include "heliostat/control/sim/simulation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "heliostat/base/core/random.h"
#include "heliostat/control/sim/comparison.h"
#include "heliostat/control/sim/world.h"
#include "heliostat/model/scenario/generate.h"
#include "heliostat/planning/plan/check.h"
#include "heliostat/planning/plan/score.h"

namespace heliostat::sim {
namespace {

scenario::Scenario Made(std::uint64_t seed, std::size_t jobs = 8, std::size_t slots = 24, double best_effort = 0.2,
                        double load = 0.4, double slack = 3.0) {
  scenario::Shape shape;
  shape.seed = seed;
  shape.jobs = jobs;
  shape.slots = slots;
  shape.gpus = 32;
  shape.services = 1;
  shape.load = load;
  shape.slack = slack;
  shape.best_effort = best_effort;
  return scenario::Generate(shape);
}

SimulatedRun RunOf(const scenario::Scenario& scenario, const std::string& name, const SimulationOptions& options = {}) {
  auto policy = policy::Make(name, {});
  const auto foresight = PerfectForesight(scenario, false);
  return Simulate(scenario, **policy, *foresight, options);
}

std::vector<std::string> AllNames() {
  std::vector<std::string> names;
  for (const policy::Info& info : policy::Policies()) names.emplace_back(info.name);
  names.emplace_back("run-now+sleep");
  names.emplace_back("carbon-scaler+sleep");
  return names;
}

SimulationOptions Troubled(std::uint64_t seed) {
  SimulationOptions options;
  options.seed = seed;
  options.estimate_error = 0.4;
  options.faults.node_mtbf = std::chrono::hours{60};
  options.faults.gpu_mtbf = std::chrono::hours{300};
  options.faults.repair = std::chrono::hours{3};
  options.faults.wake_failure = 0.1;
  return options;
}

// Jobs + serving + idle + base + sleep + wake = meter, in every slot.
void ExpectConserved(const SimulatedRun& run) {
  Joules training;
  for (std::size_t slot = 0; slot < run.slots.size(); ++slot) {
    const double meter = run.slots[slot].it.value;
    EXPECT_NEAR(run.draws[slot].sum().value, meter, 1e-9 * meter) << run.policy << " slot " << slot;
    training += run.draws[slot].training;
  }
  Joules of_jobs;
  for (const JobRun& job : run.jobs) of_jobs += job.energy;
  EXPECT_NEAR(of_jobs.value, training.value, 1e-9 * training.value + 1e-6) << run.policy;
}

// The run as a plan, with every node on.
plan::Plan PlanOf(const scenario::Scenario& scenario, const SimulatedRun& run) {
  plan::Plan plan = plan::EmptyPlan(scenario);
  for (std::size_t j = 0; j < run.jobs.size(); ++j) plan.jobs[j] = run.jobs[j].plan;
  for (std::size_t s = 0; s < scenario.services.size(); ++s) plan.services[s].slots = run.services[s].slots;
  for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
    plan.nodes_on[g].assign(scenario.slots, scenario.groups[g].nodes);
  }
  return plan;
}

class EveryPolicy : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPolicy, ConservesEnergyWithAndWithoutTrouble) {
  const auto scenario = Made(3, 6, 16);
  ExpectConserved(RunOf(scenario, GetParam()));
  ExpectConserved(RunOf(scenario, GetParam(), Troubled(9)));
}

TEST_P(EveryPolicy, DoesAllWorkOfACalmWeek) {
  const auto scenario = Made(4, 8, 48, 0.0, 0.1, 6.0);
  const sim::SimulatedRun run = RunOf(scenario, GetParam());
  const Figures figures = FiguresOf(scenario, run);
  EXPECT_EQ(figures.jobs_completed, 8U);
  // One miss is allowed: a calendar without slack leaves no time for a node to wake.
  EXPECT_LE(figures.deadline_misses, GetParam().ends_with("+sleep") ? 1U : 0U);
  EXPECT_LT(figures.slo_violation_fraction, 0.05);
}

TEST_P(EveryPolicy, GivesTheSameRunAgain) {
  const auto scenario = Made(5, 6, 16);
  const sim::SimulatedRun one = RunOf(scenario, GetParam(), Troubled(2));
  const sim::SimulatedRun two = RunOf(scenario, GetParam(), Troubled(2));
  for (std::size_t slot = 0; slot < one.slots.size(); ++slot) {
    ASSERT_EQ(one.slots[slot].carbon.value, two.slots[slot].carbon.value);
  }
  for (std::size_t j = 0; j < one.jobs.size(); ++j) {
    EXPECT_EQ(one.jobs[j].finish, two.jobs[j].finish);
    EXPECT_EQ(one.jobs[j].plan.segments, two.jobs[j].plan.segments);
  }
}

// The run is a valid plan, apart from late jobs. Services are left out: they may change within a slot, which a plan
// does not allow.
TEST_P(EveryPolicy, NeverDoesWithJobsWhatAPlanMayNot) {
  auto scenario = Made(6);
  const sim::SimulatedRun run = RunOf(scenario, GetParam());
  scenario.services.clear();
  const plan::Plan plan = PlanOf(scenario, run);
  for (const std::string& broken : plan::Violations(scenario, {}, plan)) {
    const bool late = broken.find("later than") != std::string::npos || broken.find("samples") != std::string::npos ||
                      broken.find("never") != std::string::npos;
    EXPECT_TRUE(late) << GetParam() << ": " << broken;
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, EveryPolicy, ::testing::ValuesIn(AllNames()), [](const auto& param) {
  std::string name = param.param;
  for (char& c : name) c = c == '-' || c == '+' ? '_' : c;
  return name;
});

// When no node sleeps, the simulator's meter and the planner's score give the same sum.
TEST(Simulate, AgreesWithThePlannersLedger) {
  for (const char* name : {"run-now", "chase", "wait-awhile", "ce-dla"}) {
    const auto scenario = Made(7);
    const sim::SimulatedRun run = RunOf(scenario, name);
    const plan::Plan plan = PlanOf(scenario, run);
    const plan::Score score = plan::ScoreOf(scenario, plan);
    EXPECT_NEAR(score.total.carbon.value, run.total.carbon.value, 1e-6 * run.total.carbon.value) << name;
    EXPECT_NEAR(score.total.cost, run.total.cost, 1e-6 * std::abs(run.total.cost)) << name;
    EXPECT_NEAR(score.performance, run.performance, 1e-6 * run.performance) << name;
  }
}

TEST(Simulate, NoPolicyBeatsTheBound) {
  const auto scenario = Made(8, 8, 24);
  const auto foresight = PerfectForesight(scenario);
  CompareOptions options;
  options.policies = AllNames();
  const auto comparison = Compare(scenario, *foresight, options);
  ASSERT_TRUE(comparison);
  for (std::size_t i = 0; i < comparison->runs.size(); ++i) {
    EXPECT_GE(comparison->figures[i].carbon_kg, comparison->bound.carbon_kg * (1.0 - 1e-9)) << options.policies[i];
    EXPECT_GE(comparison->figures[i].cost, comparison->bound.cost - 1e-9) << options.policies[i];
  }
}

TEST(Simulate, AnEmptyClusterDrawsItsIdlePower) {
  auto scenario = Made(10);
  scenario.jobs.clear();
  scenario.services.clear();
  const sim::SimulatedRun run = RunOf(scenario, "run-now");
  Watts idle;
  for (const auto& group : scenario.groups)
    idle += (group.node_base + group.gpu_idle * group.gpus_per_node) * group.nodes;
  const Joules expected = idle * Seconds(scenario.step * static_cast<std::int64_t>(scenario.slots)) * scenario.pue;
  EXPECT_NEAR(run.total.facility.value, expected.value, 1e-9 * expected.value);
  EXPECT_EQ(FiguresOf(scenario, run).jobs_total, 0U);
}

TEST(Simulate, FailuresInterruptAndNothingIsLostForGood) {
  const auto scenario = Made(11, 16, 96, 0.0);
  const sim::SimulatedRun run = RunOf(scenario, "edf", Troubled(4));
  int interruptions = 0;
  for (const JobRun& job : run.jobs) interruptions += job.interruptions;
  EXPECT_GT(run.failures, 0);
  EXPECT_GT(interruptions, 0);
  EXPECT_GT(FiguresOf(scenario, run).jobs_completed, 10U);
}

// Two policies that use the nodes differently lose the same nodes at the same times.
TEST(Simulate, AllPoliciesMeetTheSameFaults) {
  auto scenario = Made(11, 16, 96, 0.0);
  scenario.services.clear();
  SimulationOptions options = Troubled(4);
  options.faults.wake_failure = 0.3;  // only one of the policies wakes nodes
  const auto failed_since = [](const sim::SimulatedRun& run) {
    std::set<std::tuple<std::size_t, int, Instant>> failures;
    for (const NodeSpan& span : run.node_spans) {
      if (span.state == NodeState::kFailed) failures.emplace(span.group, span.node, span.span.begin);
    }
    return failures;
  };
  const auto awake = failed_since(RunOf(scenario, "run-now", options));
  const auto wait = failed_since(RunOf(scenario, "wait-awhile", options));
  EXPECT_GT(awake.size(), 2U);
  EXPECT_EQ(awake, wait);
  // Nodes that sleep do not fail, and some fail to wake; the failures of those that are up are the same.
  const auto sleeping = failed_since(RunOf(scenario, "run-now+sleep", options));
  std::size_t shared = 0;
  for (const auto& failure : sleeping) shared += awake.contains(failure) ? 1 : 0;
  EXPECT_GT(shared, 0U);
}

TEST(Simulate, EstimatesThatAreRightOnAverageKeepTheWorkOnAverage) {
  const auto scenario = Made(12, 60, 96, 0.0);
  SimulationOptions options;
  options.estimate_error = 0.5;
  const sim::SimulatedRun exact = RunOf(scenario, "run-now");
  const sim::SimulatedRun wrong = RunOf(scenario, "run-now", options);
  int differ = 0;
  for (std::size_t j = 0; j < exact.jobs.size(); ++j) differ += exact.jobs[j].finish != wrong.jobs[j].finish ? 1 : 0;
  EXPECT_GT(differ, 30);
  EXPECT_NEAR(wrong.total.carbon.value / exact.total.carbon.value, 1.0, 0.3);
}

TEST(Simulate, AWokenNodeIsUpAfterItsWakeTimeAndPaidForOnce) {
  auto scenario = Made(13, 1, 24, 0.0);
  scenario.services.clear();
  scenario.jobs.resize(1);
  scenario.jobs[0].submit = scenario.start + std::chrono::hours{10};
  scenario.jobs[0].deadline = scenario.end();
  const sim::SimulatedRun run = RunOf(scenario, "run-now+sleep");
  ASSERT_TRUE(run.jobs[0].finish.has_value());
  const auto& segment = run.jobs[0].plan.segments.front();
  EXPECT_EQ(segment.span.begin, scenario.jobs[0].submit + scenario.groups[segment.group].wake_time);
  int woken = 0;
  for (const NodeSpan& span : run.node_spans) {
    if (span.state != NodeState::kWaking) continue;
    ++woken;
    EXPECT_EQ(span.span.length(), scenario.groups[span.group].wake_time);
  }
  EXPECT_EQ(woken, run.wake_ups);
  EXPECT_GE(woken, 1);
  ExpectConserved(run);
}

// A cluster of one group with one job at the start, and the order that starts it.
struct OneJob {
  OneJob() {
    scenario::Shape shape;
    shape.jobs = 1;
    shape.gpus = 32;
    shape.services = 0;
    scenario = scenario::Generate(shape);
    scenario.jobs[0].submit = scenario.start;
    const std::size_t point = scenario.PointsFor(scenario.jobs[0], 0).front();
    const auto& points = scenario.training.Of(scenario.jobs[0].model, scenario.groups[0].gpu);
    start.jobs.push_back({0, policy::RunSetting{0, point}});
    start.jobs[0].nodes = {{1, points[point].workers}};
  }
  scenario::Scenario scenario;
  policy::Decision start;
};

TEST(SimulatedWorld, RunsAJobOnTheNodesThatTheOrderNames) {
  OneJob one;
  const SimulationOptions options;
  SimulatedWorld world(one.scenario, options);
  std::vector<policy::Receipt> receipts;
  world.Apply(one.start, receipts);
  EXPECT_EQ(world.Look().jobs[0].nodes, one.start.jobs[0].nodes);
  EXPECT_EQ(receipts[0].why, "");
}

TEST(SimulatedWorld, PacksAJobWhoseNodesAreNotFreeAndSaysSo) {
  OneJob one;
  const SimulationOptions options;
  SimulatedWorld world(one.scenario, options);
  std::vector<policy::Receipt> receipts;
  policy::Decision sleep;
  for (const scenario::Group& group : one.scenario.groups) {
    sleep.nodes_on.push_back(group.nodes - 1);
    auto& up = sleep.nodes_up.emplace_back();
    for (int node = 0; node < group.nodes; ++node) {
      if (node != 1) up.push_back(node);
    }
  }
  world.Apply(sleep, receipts);
  EXPECT_EQ(world.Look().groups[0].each[1], NodeState::kAsleep);
  world.Apply(one.start, receipts);
  const loop::WorldView view = world.Look();
  EXPECT_EQ(view.jobs[0].phase, policy::Phase::kRunning);
  EXPECT_NE(view.jobs[0].nodes, one.start.jobs[0].nodes);
  EXPECT_EQ(receipts[0].status, policy::Receipt::Status::kAccepted);
  EXPECT_EQ(receipts[0].why, "the named nodes were not free");
}

TEST(Simulate, RequestsOfATraceAreAllCounted) {
  const auto scenario = Made(14, 2, 4, 0.0);
  SimulationOptions options;
  Requests& requests = options.requests[0];
  RandomStream random(3);
  const double rate = scenario.services[0].requests_per_s[0];
  for (double t = 0.0; t < 4 * 3600.0; t += random.Exponential(1.0 / rate)) requests.arrival_s.push_back(t);
  const sim::SimulatedRun run = RunOf(scenario, "run-now", options);
  EXPECT_EQ(run.services[0].requests, static_cast<double>(requests.arrival_s.size()));
}

RC_GTEST_PROP(Simulate, ConservesEnergyInAnyScenario, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 10000);
  const auto names = AllNames();
  const auto scenario = Made(seed, 3, 8);
  const sim::SimulatedRun run = RunOf(scenario, names[seed % names.size()], Troubled(seed));
  for (std::size_t slot = 0; slot < run.slots.size(); ++slot) {
    const double meter = run.slots[slot].it.value;
    RC_ASSERT(std::abs(run.draws[slot].sum().value - meter) <= 1e-9 * meter);
  }
}

}  // namespace
}  // namespace heliostat::sim
