#include "heliostat/planning/planner/solve_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "heliostat/model/scenario/energy.h"
#include "heliostat/planning/planner/engine.h"

namespace heliostat::planner {
namespace {

using plan::Objective;
using plan::Termination;
using scenario::Scenario;

constexpr double kUnlimited = std::numeric_limits<double>::infinity();
// The weight of carbon between plans with equal performance: all carbon counts as this share of the most performance.
constexpr double kTieShare = 1e-4;
constexpr int kMostRatios = 6;  // tried for the best ratio; convergence is quadratic
// Lower bound of divisors.
constexpr double kLeastScale = 1e-9;

plan::Weights WeightsOf(Objective objective) {
  switch (objective) {
    case Objective::kMinCost:
      return {.cost = 1.0};
    case Objective::kMinEnergy:
      return {.energy_kwh = 1.0};
    default:
      return {.carbon_kg = 1.0};
  }
}

// The most carbon that a plan needs to emit: every node on all the time at full power, so no wake-ups.
double MostCarbonKg(const Scenario& scenario) {
  const double watts = scenario::MostPower(scenario).value;
  double kg = 0.0;
  for (const CarbonIntensity intensity : scenario.carbon) {
    const double worst = std::max(InGramsPerKwh(intensity), InGramsPerKwh(scenario.renewable_carbon));
    kg += watts * scenario.pue * static_cast<double>(scenario.step.count()) / kJoulesPerKwh * worst / 1000.0;
  }
  return std::max(kg, kLeastScale);
}

// An upper bound on the performance of any plan.
double MostPerformance(const Scenario& scenario) {
  if (scenario.performance == scenario::Performance::kHeadroom) return 1.0;
  double most = 0.0;
  for (const auto& job : scenario.jobs) most += job.samples / (scenario.ReferenceSamplesPerS(job.model) * 3600.0);
  for (const auto& service : scenario.services) {
    for (const double rate : service.requests_per_s) {
      most +=
          rate * static_cast<double>(scenario.step.count()) / (scenario.ReferenceRequestsPerS(service.model) * 3600.0);
    }
  }
  return std::max(most, kLeastScale);
}

// The outcomes of the following functions have value and bound in the unit of the objective.
plan::Outcome MostPerformed(Engine& engine, const plan::Limits& limits, Patience patience = Patience::kStep) {
  const double most_kg = std::min(MostCarbonKg(engine.scenario()), limits.carbon_budget_kg.value_or(kUnlimited));
  const double most = MostPerformance(engine.scenario());
  const double tie = kTieShare * most / most_kg;
  plan::Outcome outcome = engine.Solve({.carbon_kg = tie, .performance = 1.0}, limits, patience);
  outcome.bound = std::min(most, -outcome.bound + tie * most_kg);
  outcome.value = outcome.planned ? outcome.planned->score.performance : 0.0;
  return outcome;
}

// Dinkelbach: the best ratio q is the one at which performance - q * carbon is zero at best.
plan::Outcome BestRatio(Engine& engine, const plan::Limits& limits, Patience patience) {
  plan::Outcome best = engine.Solve({.carbon_kg = 1.0}, limits);
  if (!best.has_plan()) return best;
  const double least_kg = best.bound;
  const auto take = [&](plan::Outcome other) {
    if (!other.has_plan() || other.score().ppc() <= best.score().ppc()) return false;
    best = std::move(other);
    return true;
  };
  take(MostPerformed(engine, limits));
  const double most = MostPerformance(engine.scenario());
  double bound = least_kg > 0.0 ? most / least_kg : kUnlimited;
  for (int i = 0; i < kMostRatios && !engine.Expired(); ++i) {
    const double q = best.score().ppc();
    plan::Outcome next = engine.Solve({.carbon_kg = q, .performance = 1.0}, limits);
    // No plan has performance - q * carbon above this, so none has a ratio above q plus it over the least carbon.
    const double slack = std::max(0.0, -next.bound);
    if (least_kg > 0.0) bound = std::min(bound, q + slack / least_kg);
    if (!take(std::move(next))) break;
  }
  const plan::Weights final{.carbon_kg = best.score().ppc(), .performance = 1.0};
  if (patience == Patience::kAnswer && Engine::Improves(limits) && !engine.Expired())
    take(engine.Solve(final, limits, patience));
  best.value = best.score().ppc();
  best.bound = std::max(bound, best.value);
  return best;
}

plan::Outcome SolveFor(Engine& engine, const PlanRequest& request, Patience patience) {
  if (request.objective == Objective::kMaxPerformance) return MostPerformed(engine, request.limits, patience);
  if (request.objective == Objective::kMaxPpc) return BestRatio(engine, request.limits, patience);
  return engine.Solve(WeightsOf(request.objective), request.limits, patience);
}

// What is known about limits that no plan was found to keep: whether that is proven, and the best values.
struct Clash {
  bool is_proven = false;
  std::string reason;
};

void Add(std::string text, Clash& clash) { clash.reason += (clash.reason.empty() ? "" : "; ") + std::move(text); }

void TellBudget(Engine& engine, const plan::Limits& without, double budget_kg, Clash& clash) {
  const plan::Outcome least = engine.Solve({.carbon_kg = 1.0}, without);
  const std::string known =
      least.planned ? fmt::format(", and {:.3f} kg would be enough", least.planned->score.carbon_kg()) : "";
  clash.is_proven = least.bound > budget_kg;
  if (clash.is_proven) {
    Add(fmt::format("no plan emits less than {:.3f} kg{}, but the carbon budget is {:.3f} kg", least.bound, known,
                    budget_kg),
        clash);
  } else {
    Add(fmt::format("no plan was found that keeps the carbon budget of {:.3f} kg; it is proven that none emits less "
                    "than {:.3f} kg{}",
                    budget_kg, std::max(0.0, least.bound), known),
        clash);
  }
}

void TellFloor(Engine& engine, const plan::Limits& without, double floor, Clash& clash) {
  const plan::Outcome most = MostPerformed(engine, without);
  const std::string known =
      most.planned ? fmt::format(", and a floor of {:.4f} is possible", most.planned->score.performance) : "";
  if (most.bound < floor) {
    clash = {true, fmt::format("no plan has a performance above {:.4f}{}, but the floor is {:.4f}", most.bound, known,
                               floor)};
  } else if (!clash.is_proven) {
    Add(fmt::format("no plan was found that keeps the performance floor of {:.4f}; it is proven that none has more "
                    "than {:.4f}{}",
                    floor, most.bound, known),
        clash);
  }
}

// Names only the limits of the request. Each is judged without the other.
Clash WhyLimitsClash(Engine& engine, const plan::Limits& limits) {
  plan::Limits without = limits;
  without.carbon_budget_kg.reset();
  without.performance_floor.reset();
  Clash clash;
  if (limits.carbon_budget_kg) TellBudget(engine, without, *limits.carbon_budget_kg, clash);
  if (limits.performance_floor && !clash.is_proven) TellFloor(engine, without, *limits.performance_floor, clash);
  return clash;
}

}  // namespace

SolvedRequest SolveRequest(const Scenario& scenario, const PlanRequest& request, const Watcher& watcher,
                           Patience patience) {
  Engine engine(scenario, request, watcher);
  SolvedRequest solved;
  solved.answer.objective = NameOf(request.objective);
  plan::Outcome& outcome = solved.answer.outcome;
  outcome = SolveFor(engine, request, patience);
  solved.answer.solver = engine.solver();
  solved.is_crowded = !engine.has_found_plan();
  if (outcome.has_plan()) {
    outcome.value = plan::ValueOf(request.objective, outcome.score());
    outcome.bound = IsMaximised(request.objective) ? std::max(outcome.bound, outcome.value)
                                                   : std::min(outcome.bound, outcome.value);
    outcome.status = outcome.gap() <= request.effort.gap ? Termination::kOptimal : Termination::kFeasible;
  } else if (!solved.is_crowded) {
    Clash clash = WhyLimitsClash(engine, request.limits);
    if (clash.is_proven) outcome.status = Termination::kInfeasible;
    if (!clash.reason.empty() && (clash.is_proven || outcome.status != Termination::kInfeasible)) {
      outcome.reason = std::move(clash.reason);
    }
  }
  outcome.time_decided = engine.has_time_decided();
  outcome.rounds_decided = engine.has_used_rounds();
  solved.answer.solve_s = engine.seconds();
  return solved;
}

}  // namespace heliostat::planner
