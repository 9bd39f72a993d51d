#include "heliostat/planner/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/planner/engine.h"
#include "heliostat/planner/reasons.h"

namespace heliostat::planner {
namespace {

using plan::Objective;
using plan::Termination;
using scenario::Scenario;

Status Refuse(const Scenario& scenario, const Request& request) {
  const auto bad = [](const char* option, std::string what, const char* allowed) {
    return Status(Fail(ErrorCode::kInvalidArgument, option, std::move(what), allowed));
  };
  const plan::Limits& limits = request.limits;
  if (request.objective == Objective::kMinCost && scenario.price_per_kwh.empty()) {
    return bad("--objective", "min-cost needs prices and the scenario has none", "add [signals] price");
  }
  const auto wrong = [](double x) { return !(x > 0.0) || !std::isfinite(x); };
  if (limits.carbon_budget_kg && wrong(*limits.carbon_budget_kg)) {
    return bad("--carbon-budget-kg", fmt::format("{} is no budget", *limits.carbon_budget_kg), "a number above 0");
  }
  if (limits.performance_floor && (!(*limits.performance_floor >= 0.0) || !std::isfinite(*limits.performance_floor))) {
    return bad("--performance-floor", fmt::format("{} is no floor", *limits.performance_floor), "a number from 0");
  }
  if (limits.facility_cap && wrong(limits.facility_cap->value)) {
    return bad("--facility-cap-kw", fmt::format("{} is no cap", InKilowatts(*limits.facility_cap)), "a number above 0");
  }
  if (wrong(request.effort.time_limit.count())) {
    return bad("--time-limit", fmt::format("{} is no time", request.effort.time_limit.count()), "seconds above 0");
  }
  if (!(request.effort.gap >= 0.0)) return bad("--gap", fmt::format("{} is no gap", request.effort.gap), "from 0");
  return {};
}

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

// The most that the scenario could emit or perform: scales for tie-breaking, not bounds that anybody sees.
double MostCarbonKg(const Scenario& scenario) {
  double watts = 0.0;
  for (const auto& group : scenario.groups) {
    double gpu = group.gpu_idle.value;
    for (const auto& entry : scenario.training.all()) {
      if (entry.first.second != group.gpu) continue;
      for (const auto& point : entry.second) gpu = std::max(gpu, point.power.value / point.workers);
    }
    for (const auto& entry : scenario.inference.all()) {
      if (entry.first.second != group.gpu) continue;
      for (const auto& point : entry.second) gpu = std::max(gpu, point.power.value);
    }
    watts += group.nodes * (group.node_base.value + group.node_sleep.value + group.gpus_per_node * gpu);
  }
  double kg = 0.0;
  for (const CarbonIntensity intensity : scenario.carbon) {
    const double worst = std::max(InGramsPerKwh(intensity), InGramsPerKwh(scenario.renewable_carbon));
    kg += watts * scenario.pue * static_cast<double>(scenario.step.count()) / kJoulesPerKwh * worst / 1000.0;
  }
  return std::max(kg, 1e-9);
}

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
  return std::max(most, 1e-9);
}

struct Solved {
  plan::Outcome outcome;
  double bound = 0.0;  // on the objective's own value
};

Solved MostPerformed(Engine& engine, const plan::Limits& limits) {
  // Among plans that perform alike the cleanest: a thousandth of a thousandth of carbon breaks ties.
  const double most_kg = std::min(MostCarbonKg(engine.scenario()), limits.carbon_budget_kg.value_or(1e300));
  const double most = MostPerformance(engine.scenario());
  const double tie = 1e-4 * most / most_kg;
  Solved solved{engine.Solve({.carbon_kg = tie, .performance = 1.0}, limits), 0.0};
  solved.bound = std::min(most, -solved.outcome.bound + tie * most_kg);
  solved.outcome.value = solved.outcome.score.performance;
  return solved;
}

// Dinkelbach: the best ratio q is the one at which performance - q * carbon is zero at best.
Solved BestRatio(Engine& engine, const plan::Limits& limits) {
  Solved best{engine.Solve({.carbon_kg = 1.0}, limits), 0.0};
  if (best.outcome.plan.nodes_on.empty()) return best;
  const double least_kg = best.outcome.bound;
  const auto take = [&](plan::Outcome other) {
    if (other.plan.nodes_on.empty() || other.score.ppc() <= best.outcome.score.ppc()) return false;
    best.outcome = std::move(other);
    return true;
  };
  take(MostPerformed(engine, limits).outcome);
  const double most = MostPerformance(engine.scenario());
  double bound = least_kg > 0.0 ? most / least_kg : 1e300;
  for (int i = 0; i < 6 && !engine.Expired(); ++i) {
    const double q = best.outcome.score.ppc();
    plan::Outcome next = engine.Solve({.carbon_kg = q, .performance = 1.0}, limits);
    // No plan has performance - q * carbon above this, so none has a ratio above q plus it over the least carbon.
    const double slack = std::max(0.0, -next.bound);
    if (least_kg > 0.0) bound = std::min(bound, q + slack / least_kg);
    if (!take(std::move(next))) break;
  }
  best.bound = std::max(bound, best.outcome.score.ppc());
  best.outcome.value = best.outcome.score.ppc();
  return best;
}

Solved SolveFor(Engine& engine, const Request& request) {
  if (request.objective == Objective::kMaxPerformance) return MostPerformed(engine, request.limits);
  if (request.objective == Objective::kMaxPpc) return BestRatio(engine, request.limits);
  Solved solved{engine.Solve(WeightsOf(request.objective), request.limits), 0.0};
  solved.bound = solved.outcome.bound;
  return solved;
}

// A budget below the least carbon, or a floor above the most performance, is infeasible and provably so.
std::optional<std::string> WhyLimitsClash(Engine& engine, const Request& request) {
  plan::Limits without = request.limits;
  without.carbon_budget_kg.reset();
  without.performance_floor.reset();
  if (request.limits.carbon_budget_kg) {
    const plan::Outcome least = engine.Solve({.carbon_kg = 1.0}, without);
    if (least.bound > *request.limits.carbon_budget_kg) {
      return fmt::format("no plan emits less than {:.3f} kg and the carbon budget is {:.3f} kg; {:.3f} kg would do",
                         least.bound, *request.limits.carbon_budget_kg, least.score.carbon_kg());
    }
  }
  if (request.limits.performance_floor) {
    const Solved most = MostPerformed(engine, without);
    if (most.bound < *request.limits.performance_floor) {
      return fmt::format("no plan performs better than {:.4f} and the floor is {:.4f}; {:.4f} would do", most.bound,
                         *request.limits.performance_floor, most.outcome.score.performance);
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Solver> ParseSolver(std::string_view name) {
  if (name == "auto") return Solver::kAuto;
  if (name == "exact") return Solver::kExact;
  if (name == "price") return Solver::kPrice;
  return Fail(ErrorCode::kInvalidArgument, "--solver", std::string(name) + " is not known", "auto, exact, price");
}

Result<Answer> MakePlan(const Scenario& scenario, const Request& request, const Watcher& watcher) {
  if (const Status bad = Refuse(scenario, request); !bad) return Propagate(bad);
  Engine engine(scenario, request, watcher);
  Answer answer;
  plan::Certificate& certificate = answer.certificate;
  certificate.objective = NameOf(request.objective);
  certificate.solver = request.solver == Solver::kExact ? "exact" : "price";
  certificate.status = Termination::kInfeasible;
  if (const auto why = WhyImpossible(scenario, request.limits)) {
    certificate.reason = *why;
    certificate.solve_s = engine.seconds();
    return answer;
  }
  Solved solved = SolveFor(engine, request);
  certificate.solver = engine.solver();
  certificate.status = solved.outcome.status;
  certificate.reason = solved.outcome.reason;
  if (solved.outcome.plan.nodes_on.empty()) {
    const bool limited = request.limits.carbon_budget_kg || request.limits.performance_floor;
    if (limited && certificate.status != Termination::kInfeasible) {
      if (const auto why = WhyLimitsClash(engine, request)) {
        certificate.status = Termination::kInfeasible;
        certificate.reason = *why;
      }
    }
    certificate.solve_s = engine.seconds();
    return answer;
  }
  answer.plan = std::move(solved.outcome.plan);
  answer.score = std::move(solved.outcome.score);
  const double value = plan::ValueOf(request.objective, answer.score);
  certificate.bound = IsMaximised(request.objective) ? std::max(solved.bound, value) : std::min(solved.bound, value);
  certificate.gap = plan::GapOf(value, certificate.bound);
  certificate.status = certificate.gap <= request.effort.gap ? Termination::kOptimal : Termination::kFeasible;
  certificate.solve_s = engine.seconds();
  return answer;
}

}  // namespace heliostat::planner
