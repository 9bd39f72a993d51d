#include "heliostat/planner/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/exact/exact.h"

namespace heliostat::planner {
namespace {

// Beyond this many whole numbers CBC does not come near a proof in minutes.
constexpr std::size_t kLargestProgramme = 4000;
constexpr double kTolerance = 1e-9;

}  // namespace

Engine::Engine(const scenario::Scenario& scenario, const Request& request, const Watcher& watcher)
    : scenario_(scenario), request_(request), watcher_(watcher), begun_(std::chrono::steady_clock::now()) {}

double Engine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

plan::Effort Engine::EffortLeft() const {
  plan::Effort effort = request_.effort;
  effort.time_limit = Seconds(std::max(0.05, effort.time_limit.count() - seconds()));
  return effort;
}

plan::Outcome Engine::Price(const plan::Weights& weights, const plan::Limits& limits) {
  const plan::Problem problem{scenario_, weights, limits};
  plan::Outcome outcome = price::Solve(problem, EffortLeft(), &memory_);
  if (watcher_) watcher_(seconds() / request_.effort.time_limit.count(), outcome.value, outcome.bound);
  return outcome;
}

bool Engine::Keeps(const plan::Outcome& outcome, const plan::Limits& limits) const {
  if (outcome.plan.jobs.size() != scenario_.jobs.size() || outcome.plan.nodes_on.empty()) return false;
  const double carbon = outcome.score.carbon_kg();
  if (limits.carbon_budget_kg && carbon > *limits.carbon_budget_kg * (1.0 + kTolerance)) return false;
  return !limits.performance_floor || outcome.score.performance >= *limits.performance_floor * (1.0 - kTolerance);
}

// A budget or a floor gets a price of its own, raised until it is kept and then lowered as far as it goes. Whatever the
// price, the bound less what the price was paid for is a bound.
plan::Outcome Engine::PriceUnderLimits(const plan::Weights& weights, const plan::Limits& limits) {
  plan::Outcome best;
  double bound = -1e300;
  const auto attempt = [&](const Multipliers& m) {
    plan::Weights weighed = weights;
    weighed.carbon_kg += m.budget;
    weighed.performance += m.floor;
    plan::Outcome outcome = Price(weighed, limits);
    const double paid =
        m.budget * limits.carbon_budget_kg.value_or(0.0) - m.floor * limits.performance_floor.value_or(0.0);
    if (outcome.status == plan::Termination::kInfeasible) return outcome;
    bound = std::max(bound, outcome.bound - paid);
    if (!Keeps(outcome, limits)) return outcome;
    outcome.value = plan::ValueOf(weights, outcome.score);
    if (best.plan.nodes_on.empty() || outcome.value < best.value) best = outcome;
    return outcome;
  };
  plan::Outcome first = attempt({});
  const bool limited = limits.carbon_budget_kg || limits.performance_floor;
  if (!limited || first.plan.nodes_on.empty() || Keeps(first, limits)) return first;

  Multipliers low;
  Multipliers high;
  const double scale = std::max(std::abs(plan::ValueOf(weights, first.score)), 1e-9);
  const bool over = limits.carbon_budget_kg && first.score.carbon_kg() > *limits.carbon_budget_kg;
  const bool under = limits.performance_floor && first.score.performance < *limits.performance_floor;
  if (over) high.budget = scale / std::max(first.score.carbon_kg(), 1e-9);
  if (under) high.floor = scale / std::max(*limits.performance_floor, 1e-12);
  for (int i = 0; i < 10 && best.plan.nodes_on.empty() && !Expired(); ++i) {
    const plan::Outcome tried = attempt(high);
    if (Keeps(tried, limits)) break;
    low = high;
    if (limits.carbon_budget_kg && tried.score.carbon_kg() > *limits.carbon_budget_kg) {
      high.budget = std::max(high.budget * 4.0, scale / std::max(first.score.carbon_kg(), 1e-9));
    }
    if (limits.performance_floor && tried.score.performance < *limits.performance_floor) {
      high.floor = std::max(high.floor * 4.0, scale / std::max(*limits.performance_floor, 1e-12));
    }
  }
  for (int i = 0; i < 7 && !best.plan.nodes_on.empty() && !Expired(); ++i) {
    if (plan::GapOf(best.value, bound) <= request_.effort.gap) break;
    const Multipliers middle{0.5 * (low.budget + high.budget), 0.5 * (low.floor + high.floor)};
    (Keeps(attempt(middle), limits) ? high : low) = middle;
  }
  if (best.plan.nodes_on.empty()) {
    best.status = plan::Termination::kNoPlan;
    best.reason =
        over || under ? "no plan was found that keeps the carbon budget and the performance floor" : first.reason;
  }
  best.bound = best.plan.nodes_on.empty() ? bound : std::min(bound, best.value);
  return best;
}

void Engine::Refine(const plan::Weights& weights, const plan::Limits& limits, plan::Outcome& outcome) {
  const plan::Problem problem{scenario_, weights, limits};
  const plan::Plan* const start = outcome.plan.nodes_on.empty() ? nullptr : &outcome.plan;
  plan::Outcome exact = exact::Solve(problem, EffortLeft(), start);
  if (exact.status == plan::Termination::kInfeasible) {
    exact.reason = outcome.reason.empty() ? "no plan keeps all limits" : outcome.reason;
    outcome = std::move(exact);
    solver_ = "exact";
    return;
  }
  const double bound = start == nullptr ? exact.bound : std::max(outcome.bound, exact.bound);
  if (!exact.plan.nodes_on.empty() && (start == nullptr || exact.value <= outcome.value)) {
    if (start == nullptr || exact.value < outcome.value || exact.bound > outcome.bound) solver_ = "exact";
    outcome = std::move(exact);
  }
  if (outcome.plan.nodes_on.empty()) return;
  outcome.bound = std::min(bound, outcome.value);
  const bool proven = plan::GapOf(outcome.value, outcome.bound) <= request_.effort.gap;
  outcome.status = proven ? plan::Termination::kOptimal : plan::Termination::kFeasible;
}

plan::Outcome Engine::Solve(const plan::Weights& weights, const plan::Limits& limits) {
  solver_ = "price";
  plan::Outcome outcome = PriceUnderLimits(weights, limits);
  if (request_.solver == Solver::kPrice) return outcome;
  const bool proven = outcome.status == plan::Termination::kOptimal || outcome.status == plan::Termination::kInfeasible;
  if (request_.solver == Solver::kAuto) {
    if (proven || Expired()) return outcome;
    if (exact::ProgrammeSize({scenario_, weights, limits}) > kLargestProgramme) return outcome;
  }
  if (request_.solver == Solver::kExact) solver_ = "exact";
  if (outcome.status != plan::Termination::kInfeasible) Refine(weights, limits, outcome);
  return outcome;
}

}  // namespace heliostat::planner
