// How close policies come to their own plans in a simulated cluster: with all jobs known in advance, and with jobs that
// are known when they arrive. Prints one row per scenario. Scenarios are files, or generated with five seeds.
#include <fmt/format.h>

#include <cstdio>
#include <string>
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
  const plan::Outcome outcome = decomposition::Solve(problem, {Seconds{60.0}, 1e-3, false});
  return outcome.has_plan() ? outcome.score().carbon_kg() : 0.0;
}

// How far `value` is above `other`, such as "+0.30 %".
std::string Above(double value, double other) { return fmt::format("{:+.2f} %", 100.0 * (value / other - 1.0)); }

void Print(const Row& row, const std::string& policy_name) {
  const double plan_kg = Clairvoyant(row.scenario);
  for (const bool with_jobs : {true, false}) {
    auto policy = policy::Make(policy_name, {});
    const auto foresight = sim::PerfectForesight(row.scenario, with_jobs);
    const sim::SimulatedRun run = sim::Simulate(row.scenario, **policy, *foresight, {});
    const sim::Figures figures = sim::FiguresOf(row.scenario, run);
    const std::string own =
        run.own_plan ? Above(figures.carbon_kg, InKilograms(run.own_plan->carbon)) : std::string("not known");
    fmt::print("{:<16} {:<7} {:>9.2f} {:>11} {:>11} {:>5} {:>6} {:>9} {:>8.2f}\n", row.name,
               with_jobs ? "known" : "unknown", figures.carbon_kg, own, Above(figures.carbon_kg, plan_kg),
               figures.deadline_misses, run.plans, figures.wake_ups, run.wall_s);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace heliostat

// closed_loop_bench [POLICY [SCENARIO.toml...]]
int main(int argc, char** argv) {
  using namespace heliostat;
  const std::string policy_name = argc > 1 ? argv[1] : "ca-rm-performance";
  fmt::print("{:<16} {:<7} {:>9} {:>11} {:>11} {:>5} {:>6} {:>9} {:>8}\n", "scenario", "jobs", "kg CO2e", "own plan",
             "clairvoyant", "late", "plans", "wake-ups", "s");
  for (int i = 2; i < argc; ++i) {
    auto read = scenario::Read(argv[i]);
    if (!read) {
      fmt::print(stderr, "closed_loop_bench: {}\n", read.error().Line());
      return 1;
    }
    Print({read->name, *read}, policy_name);
  }
  for (const std::uint64_t seed : {21U, 22U, 23U, 24U, 25U}) {
    Print({fmt::format("generated {}", seed), Made(seed)}, policy_name);
  }
  return 0;
}
