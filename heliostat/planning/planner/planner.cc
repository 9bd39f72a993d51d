#include "heliostat/planning/planner/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/model/scenario/energy.h"
#include "heliostat/planning/planner/engine.h"
#include "heliostat/planning/planner/reasons.h"

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
plan::Outcome MostPerformed(Engine& engine, const plan::Limits& limits) {
  const double most_kg = std::min(MostCarbonKg(engine.scenario()), limits.carbon_budget_kg.value_or(kUnlimited));
  const double most = MostPerformance(engine.scenario());
  const double tie = kTieShare * most / most_kg;
  plan::Outcome outcome = engine.Solve({.carbon_kg = tie, .performance = 1.0}, limits);
  outcome.bound = std::min(most, -outcome.bound + tie * most_kg);
  outcome.value = outcome.planned ? outcome.planned->score.performance : 0.0;
  return outcome;
}

// Dinkelbach: the best ratio q is the one at which performance - q * carbon is zero at best.
plan::Outcome BestRatio(Engine& engine, const plan::Limits& limits) {
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
  best.value = best.score().ppc();
  best.bound = std::max(bound, best.value);
  return best;
}

plan::Outcome SolveFor(Engine& engine, const PlanRequest& request) {
  if (request.objective == Objective::kMaxPerformance) return MostPerformed(engine, request.limits);
  if (request.objective == Objective::kMaxPpc) return BestRatio(engine, request.limits);
  return engine.Solve(WeightsOf(request.objective), request.limits);
}

// The reason, if the budget is below the proven least carbon or the floor above the proven most performance.
std::optional<std::string> WhyLimitsClash(Engine& engine, const PlanRequest& request) {
  plan::Limits without = request.limits;
  without.carbon_budget_kg.reset();
  without.performance_floor.reset();
  if (request.limits.carbon_budget_kg) {
    const plan::Outcome least = engine.Solve({.carbon_kg = 1.0}, without);
    if (least.bound > *request.limits.carbon_budget_kg) {
      std::string why = fmt::format("no plan emits less than {:.3f} kg, but the carbon budget is {:.3f} kg",
                                    least.bound, *request.limits.carbon_budget_kg);
      return least.planned ? fmt::format("{}; {:.3f} kg would be enough", why, least.planned->score.carbon_kg()) : why;
    }
  }
  if (request.limits.performance_floor) {
    const plan::Outcome most = MostPerformed(engine, without);
    if (most.bound < *request.limits.performance_floor) {
      std::string why = fmt::format("no plan has a performance above {:.4f}, but the floor is {:.4f}", most.bound,
                                    *request.limits.performance_floor);
      return most.planned ? fmt::format("{}; a floor of {:.4f} is possible", why, most.planned->score.performance)
                          : why;
    }
  }
  return std::nullopt;
}

}  // namespace

Status Validate(const PlanRequest& request) {
  const auto refuse = [](const char* field, double value, bool may_be_zero) {
    return Status(Fail(ErrorCode::kInvalidArgument, field, fmt::format("{} is out of range", value),
                       may_be_zero ? "a number, 0 or more" : "a number above 0"));
  };
  const auto is_above_0 = [](double x) { return std::isfinite(x) && x > 0.0; };
  const auto is_0_or_more = [](double x) { return std::isfinite(x) && x >= 0.0; };
  const plan::Limits& limits = request.limits;
  if (limits.carbon_budget_kg && !is_above_0(*limits.carbon_budget_kg)) {
    return refuse("carbon budget", *limits.carbon_budget_kg, false);
  }
  if (limits.performance_floor && !is_0_or_more(*limits.performance_floor)) {
    return refuse("performance floor", *limits.performance_floor, true);
  }
  if (limits.facility_cap && !is_above_0(limits.facility_cap->value)) {
    return refuse("facility cap", InKilowatts(*limits.facility_cap), false);
  }
  if (!is_above_0(request.effort.time_limit.count())) {
    return refuse("time limit", request.effort.time_limit.count(), false);
  }
  if (!is_0_or_more(request.effort.gap)) return refuse("gap", 100.0 * request.effort.gap, true);
  if (request.rounds && *request.rounds < 1) {
    return Fail(ErrorCode::kInvalidArgument, "rounds", fmt::format("{} is out of range", *request.rounds), "1 or more");
  }
  if (request.rounds && request.solver == Solver::kExact) {
    return Fail(ErrorCode::kInvalidArgument, "rounds", "the exact solver has no rounds", "solver auto or price");
  }
  return {};
}

Result<Solver> ParseSolver(std::string_view name) {
  if (name == "auto") return Solver::kAuto;
  if (name == "exact") return Solver::kExact;
  if (name == "price") return Solver::kPrice;
  return Fail(ErrorCode::kInvalidArgument, "solver", std::string(name) + " is not known", "auto, exact, price");
}

Result<plan::PlanAnswer> MakePlan(const Scenario& scenario, const PlanRequest& request, const Watcher& watcher) {
  if (const Status bad = Validate(request); !bad) return Propagate(bad);
  if (request.objective == Objective::kMinCost && scenario.price_per_kwh.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "objective", "min-cost needs prices, but the scenario has none",
                "add [signals] price");
  }
  Engine engine(scenario, request, watcher);
  plan::PlanAnswer answer{.objective = std::string(NameOf(request.objective)),
                          .solver = request.solver == Solver::kExact ? "exact" : "price"};
  plan::Outcome& outcome = answer.outcome;
  if (auto why = WhyImpossible(scenario, request.limits)) {
    outcome = {.status = Termination::kInfeasible, .reason = *std::move(why)};
    answer.solve_s = engine.seconds();
    return answer;
  }
  outcome = SolveFor(engine, request);
  answer.solver = engine.solver();
  if (outcome.has_plan()) {
    outcome.value = plan::ValueOf(request.objective, outcome.score());
    outcome.bound = IsMaximised(request.objective) ? std::max(outcome.bound, outcome.value)
                                                   : std::min(outcome.bound, outcome.value);
    outcome.status = outcome.gap() <= request.effort.gap ? Termination::kOptimal : Termination::kFeasible;
  } else if (outcome.status != Termination::kInfeasible) {
    if (auto why = WhyLimitsClash(engine, request)) {
      outcome.status = Termination::kInfeasible;
      outcome.reason = *std::move(why);
    }
  }
  outcome.time_decided = engine.has_time_decided();
  answer.solve_s = engine.seconds();
  return answer;
}

}  // namespace heliostat::planner
