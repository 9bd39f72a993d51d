// The time of a simulated week of 1,200 jobs under ca-rm-performance and ca-rm-ppc, with this solver and with the
// solver as it was before (decision 0150). In one simulation both answer the same questions, one after the other; the
// plans of this solver are carried out. Five seeds, and one row for each policy and seed.
//
//     week_bench [SEEDS [JOBS]]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "benchmarks/reference/solve.h"
#include "heliostat/control/policy/rolling_policy.h"
#include "heliostat/control/sim/run.h"
#include "heliostat/control/sim/simulation.h"
#include "heliostat/model/workload/to_scenario.h"

namespace heliostat {
namespace {

using Clock = std::chrono::steady_clock;
double SecondsSince(Clock::time_point begun) { return std::chrono::duration<double>(Clock::now() - begun).count(); }

struct Times {
  double ours_s = 0.0;
  double reference_s = 0.0;
  int questions = 0;
  int unanswered = 0;  // by the reference
};

// The goal of ca-rm-performance or ca-rm-ppc. Asks the reference, too, as the policy asked it before: each search
// begins from the last one, or afresh where that finds no plan.
class BothSolvers : public policy::PlanGoal {
 public:
  BothSolvers(bool is_ppc, Times& times) : is_ppc_(is_ppc), times_(times) {}

  plan::Outcome MakePlan(const policy::Observation& /*observation*/, const scenario::Scenario& ahead,
                         policy::PlanSolver& solver) override {
    // The reference knows nothing of what runs.
    scenario::Scenario plain = ahead;
    for (scenario::Job& job : plain.jobs) job.begun.reset();
    plan::Outcome best;
    const int tries = !is_ppc_ ? 1 : ratio_ > 0.0 ? 2 : 4;
    for (int i = 0; i < tries; ++i) {
      plan::Weights weights{.carbon_kg = 1.0, .energy_kwh = 1e-4};
      if (ratio_ > 0.0) weights.performance = 1.0 / ratio_;
      plan::Outcome outcome = Ask(ahead, plain, weights, solver);
      if (!outcome.has_plan()) return best;
      const double found = outcome.score().ppc();
      best = std::move(outcome);
      constexpr double kAboutRight = 0.15;
      if (!is_ppc_ || found <= 0.0 || (ratio_ > 0.0 && std::abs(found / ratio_ - 1.0) < kAboutRight)) break;
      ratio_ = found;
    }
    return best;
  }

 private:
  plan::Outcome Ask(const scenario::Scenario& ahead, const scenario::Scenario& plain, const plan::Weights& weights,
                    policy::PlanSolver& solver) {
    auto begun = Clock::now();
    plan::Outcome outcome = solver.Solve(ahead, weights);
    times_.ours_s += SecondsSince(begun);
    begun = Clock::now();
    const plan::Problem problem{plain, weights, {}};
    const bool warm = memory_.content != nullptr;
    bool found = reference::Solve(problem, {kNoLimit, warm ? 0.01 : 1e-3, false}, &memory_).has_plan();
    if (!found && warm) {
      memory_ = {};
      found = reference::Solve(problem, {kNoLimit, 1e-3, false}, &memory_).has_plan();
    }
    times_.reference_s += SecondsSince(begun);
    ++times_.questions;
    times_.unanswered += found ? 0 : 1;
    return outcome;
  }

  static constexpr Seconds kNoLimit{1e6};
  bool is_ppc_;
  Times& times_;
  double ratio_ = 0.0;
  reference::SearchMemory memory_;
};

// The time of the week with this solver, divided by that with the reference.
double PrintWeek(bool is_ppc, std::uint64_t seed, std::size_t jobs) {
  workload::ScenarioRecipe recipe;
  recipe.seed = seed;
  recipe.jobs = jobs;
  const auto scenario = workload::Make(recipe);
  if (!scenario) {
    fmt::print(stderr, "week_bench: {}\n", scenario.error().Line());
    std::exit(1);
  }
  Times times;
  const auto performance = is_ppc ? scenario::Performance::kHeadroom : scenario::Performance::kThroughput;
  policy::RollingPolicy policy({}, policy::Means::kAll, true, performance,
                               std::make_unique<BothSolvers>(is_ppc, times));
  const auto foresight = sim::PerfectForesight(*scenario, false);
  const auto begun = Clock::now();
  const sim::SimulatedRun run = sim::Simulate(*scenario, policy, *foresight, {});
  const double rest_s = SecondsSince(begun) - times.ours_s - times.reference_s;
  const sim::Figures figures = sim::FiguresOf(*scenario, run);
  const double ratio = (rest_s + times.ours_s) / (rest_s + times.reference_s);
  fmt::print(
      "{} seed {}: {} jobs, {} plans: {:.1f} s, with the reference {:.1f} s ({} plans not found): {:.2f}; {} late\n",
      is_ppc ? "ca-rm-ppc" : "ca-rm-performance", seed, scenario->jobs.size(), times.questions, rest_s + times.ours_s,
      rest_s + times.reference_s, times.unanswered, ratio, figures.deadline_misses);
  std::fflush(stdout);
  return ratio;
}

}  // namespace
}  // namespace heliostat

int main(int argc, char** argv) {
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 5;
  const auto jobs = static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 1200);
  for (const bool is_ppc : {false, true}) {
    std::vector<double> ratios;
    for (int seed = 1; seed <= seeds; ++seed) {
      ratios.push_back(heliostat::PrintWeek(is_ppc, static_cast<std::uint64_t>(seed), jobs));
    }
    std::ranges::sort(ratios);
    fmt::print("{}: time of a week against the reference: median {:.2f}, worst {:.2f} (goal 0.25)\n",
               is_ppc ? "ca-rm-ppc" : "ca-rm-performance", ratios[ratios.size() / 2], ratios.back());
  }
  return 0;
}
