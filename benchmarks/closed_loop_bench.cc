// How close policies come to their own plans in a simulated cluster. Prints three rows per scenario: all jobs known in
// advance; jobs known when they arrive; the same with a search of its own for every plan that goes on until it makes no
// more progress ("afresh"), which shows what the shorter searches cost. Scenarios are files, or generated with five
// seeds. Exit status 1 when a figure is above its goal.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/control/policy/policy.h"
#include "heliostat/control/sim/run.h"
#include "heliostat/control/sim/simulation.h"
#include "heliostat/model/scenario/generate.h"
#include "heliostat/model/scenario/read.h"
#include "heliostat/planning/decomposition/solve.h"

namespace heliostat {
namespace {

struct Row {
  std::string name;
  scenario::Scenario scenario;
};

scenario::Scenario Made(std::uint64_t seed) {
  scenario::Shape shape;
  shape.jobs = 60;
  shape.slots = 168;
  shape.gpus = 64;
  shape.groups = seed % 3 == 2 ? 1 : 2;
  shape.services = 0;
  shape.seed = seed;
  return scenario::Generate(shape);
}

// Carbon in kg of a plan that knows all jobs.
double Clairvoyant(const scenario::Scenario& scenario) {
  plan::Limits limits;
  limits.finish_best_effort = true;
  const plan::Problem problem{scenario, {.carbon_kg = 1.0, .energy_kwh = 1e-4}, limits};
  plan::Rounds improving;  // until there is no more progress
  const plan::Effort effort{.time_limit = Seconds{60.0}, .proof = false, .improving = &improving};
  const plan::Outcome outcome = decomposition::Solve(problem, effort);
  return outcome.has_plan() ? outcome.score().carbon_kg() : 0.0;
}

constexpr double kOwnPlanGoal = 0.01;
constexpr double kAfreshGoal = 0.03;

// How far one carbon is above another, as a share.
double Above(double kg, double other_kg) { return kg / other_kg - 1.0; }

// One figure of all scenarios.
struct Shares {
  std::vector<double> values;
  double mean() const {
    double sum = 0.0;
    for (const double value : values) sum += value;
    return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
  }
  double median() const {
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);
    return sorted.empty() ? 0.0 : sorted[sorted.size() / 2];
  }
  double worst() const { return values.empty() ? 0.0 : *std::ranges::max_element(values); }
  // In percent, for people.
  std::string words() const {
    return fmt::format("mean {:+.2f} %, median {:+.2f} %, worst {:+.2f} %", 100.0 * mean(), 100.0 * median(),
                       100.0 * worst());
  }
};

struct Tally {
  Shares own_plan;     // jobs known, above the own plan
  Shares afresh;       // jobs unknown, above a policy that plans afresh
  Shares clairvoyant;  // jobs unknown, above the plan that knows all jobs
  std::size_t late = 0;
};

sim::Figures PrintOne(const Row& row, const std::string& policy_name, const char* jobs, double plan_kg, Tally& tally) {
  const bool knows_jobs = std::string_view(jobs) == "known";
  auto policy = policy::Make(policy_name, {});
  const auto foresight = sim::PerfectForesight(row.scenario, knows_jobs);
  const sim::SimulatedRun run = sim::Simulate(row.scenario, **policy, *foresight, {});
  const sim::Figures figures = sim::FiguresOf(row.scenario, run);
  std::string own = "-";
  if (knows_jobs && run.own_plan) {
    tally.own_plan.values.push_back(Above(figures.carbon_kg, InKilograms(run.own_plan->carbon)));
    own = fmt::format("{:+.2f} %", 100.0 * tally.own_plan.values.back());
  }
  fmt::print("{:<16} {:<8} {:>9.2f} {:>11} {:>9.2f} % {:>5} {:>6} {:>9} {:>8.2f}\n", row.name, jobs, figures.carbon_kg,
             own, 100.0 * Above(figures.carbon_kg, plan_kg), figures.deadline_misses, run.plans, figures.wake_ups,
             run.wall_s);
  std::fflush(stdout);
  return figures;
}

void Print(const Row& row, const std::string& policy_name, Tally& tally) {
  const double plan_kg = Clairvoyant(row.scenario);
  const sim::Figures known = PrintOne(row, policy_name, "known", plan_kg, tally);
  const sim::Figures unknown = PrintOne(row, policy_name, "unknown", plan_kg, tally);
  const sim::Figures afresh = PrintOne(row, policy_name + "+afresh", "afresh", plan_kg, tally);
  tally.late += known.deadline_misses + unknown.deadline_misses;
  tally.afresh.values.push_back(Above(unknown.carbon_kg, afresh.carbon_kg));
  tally.clairvoyant.values.push_back(Above(unknown.carbon_kg, plan_kg));
}

}  // namespace
}  // namespace heliostat

// closed_loop_bench [POLICY [SCENARIO.toml...]]
int main(int argc, char** argv) {
  using namespace heliostat;
  const std::string policy_name = argc > 1 ? argv[1] : "ca-rm-performance";
  Tally tally;
  fmt::print("{:<16} {:<8} {:>9} {:>11} {:>11} {:>5} {:>6} {:>9} {:>8}\n", "scenario", "jobs", "kg CO2e", "own plan",
             "clairvoyant", "late", "plans", "wake-ups", "s");
  for (int i = 2; i < argc; ++i) {
    auto read = scenario::Read(argv[i]);
    if (!read) {
      fmt::print(stderr, "closed_loop_bench: {}\n", read.error().Line());
      return 1;
    }
    Print({read->name, *read}, policy_name, tally);
  }
  for (const std::uint64_t seed : {21U, 22U, 23U, 24U, 25U}) {
    Print({fmt::format("generated {}", seed), Made(seed)}, policy_name, tally);
  }
  fmt::print("jobs known: above the own plan, {} (goal {:.0f} % in each)\n", tally.own_plan.words(),
             100.0 * kOwnPlanGoal);
  fmt::print("jobs unknown: above planning afresh, {} (goal for the mean {:.0f} %)\n", tally.afresh.words(),
             100.0 * kAfreshGoal);
  fmt::print("jobs unknown: above the plan that knows all jobs, {}; late jobs: {}\n", tally.clairvoyant.words(),
             tally.late);
  return tally.own_plan.worst() <= kOwnPlanGoal && tally.afresh.mean() <= kAfreshGoal && tally.late == 0 ? 0 : 1;
}
