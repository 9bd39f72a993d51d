#include "heliostat/planning/planner/planner.h"

#include <fmt/format.h>

#include <cmath>

#include "heliostat/planning/admission/least_misses.h"
#include "heliostat/planning/planner/best_effort.h"
#include "heliostat/planning/planner/reasons.h"
#include "heliostat/planning/planner/solve_request.h"

namespace heliostat::planner {

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

Result<plan::PlanAnswer> MakePlan(const scenario::Scenario& scenario, const PlanRequest& request,
                                  const Watcher& watcher) {
  if (const Status bad = Validate(request); !bad) return Propagate(bad);
  if (request.objective == plan::Objective::kMinCost && scenario.price_per_kwh.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "objective", "min-cost needs prices, but the scenario has none",
                "add [signals] price");
  }
  if (auto why = WhyImpossible(scenario, request.limits)) {
    plan::PlanAnswer answer{.objective = std::string(NameOf(request.objective)),
                            .solver = request.solver == Solver::kExact ? "exact" : "price"};
    answer.outcome = {.status = plan::Termination::kInfeasible, .reason = *std::move(why)};
    return answer;
  }
  const admission::MissBound bound = admission::LeastMisses(scenario, request.limits);
  SolvedRequest first;
  if (bound.least == 0) {
    first = SolveRequest(scenario, request, watcher);
    if (!first.is_crowded) return std::move(first.answer);
  }
  return MakeBestEffort(scenario, request, bound, std::move(first), watcher);
}

}  // namespace heliostat::planner
