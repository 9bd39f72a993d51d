#include "heliostat/planning/planner/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "heliostat/planning/milp/solve.h"

namespace heliostat::planner {
namespace {

// With more integer columns CBC does not come near a proof within minutes.
constexpr std::size_t kLargestProgramme = 4000;
constexpr double kTolerance = 1e-9;
// A solver gets at least this time, also after the time limit, so that there is a plan.
constexpr double kLeastSeconds = 0.05;
// The search for the price of a limit: raise it by kRaise up to kMostRaises times until the limit is kept, then bisect
// up to kMostHalvings times.
constexpr int kMostRaises = 10;
constexpr double kRaise = 4.0;
constexpr int kMostHalvings = 7;
// Lower bounds of divisors.
constexpr double kLeastValue = 1e-9;
constexpr double kLeastFloor = 1e-12;

}  // namespace

Engine::Engine(const scenario::Scenario& scenario, const PlanRequest& request, const Watcher& watcher)
    : scenario_(scenario),
      request_(request),
      watcher_(watcher),
      begun_(std::chrono::steady_clock::now()),
      rounds_(request.rounds ? plan::Rounds::AtMost(*request.rounds) : plan::Rounds()) {}

double Engine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

plan::Effort Engine::EffortLeft() {
  plan::Effort effort = request_.effort;
  if (improves_) {
    effort.improving = &rounds_;
    effort.on_better = [this](double value, double bound) { Show(value, bound); };
  }
  if (request_.rounds) {
    effort.rounds = &all_rounds_;
    return effort;
  }
  effort.time_limit = Seconds(std::max(kLeastSeconds, effort.time_limit.count() - seconds()));
  return effort;
}

void Engine::Note(const plan::Outcome& outcome) {
  has_found_plan_ = has_found_plan_ || outcome.has_plan();
  has_time_decided_ = has_time_decided_ || outcome.time_decided || (!request_.rounds && Expired());
}

plan::Outcome Engine::Price(const plan::Weights& weights, const plan::Limits& limits) {
  const plan::Problem problem{scenario_, weights, limits};
  plan::Outcome outcome = decomposition::Solve(problem, EffortLeft(), &memory_);
  Note(outcome);
  Show(outcome.value, outcome.bound);
  return outcome;
}

void Engine::Show(double value, double bound) const {
  if (!watcher_) return;
  const double share = request_.rounds ? rounds_.done() / static_cast<double>(*request_.rounds)
                                       : seconds() / request_.effort.time_limit.count();
  watcher_(share, value, bound);
}

bool Engine::Keeps(const plan::Outcome& outcome, const plan::Limits& limits) {
  if (!outcome.planned) return false;
  const plan::Score& score = outcome.planned->score;
  if (limits.carbon_budget_kg && score.carbon_kg() > *limits.carbon_budget_kg * (1.0 + kTolerance)) return false;
  return !limits.performance_floor || score.performance >= *limits.performance_floor * (1.0 - kTolerance);
}

// A budget and a floor each get a price (a Lagrange multiplier), raised until the limit is kept and then lowered as far
// as possible. At any price, the bound of the priced problem less the priced limits is a bound of the problem.
plan::Outcome Engine::PriceUnderLimits(const plan::Weights& weights, const plan::Limits& limits) {
  plan::Outcome best;
  double bound = -std::numeric_limits<double>::infinity();
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
    outcome.value = plan::ValueOf(weights, outcome.score());
    if (!best.has_plan() || outcome.value < best.value) best = outcome;
    return outcome;
  };
  plan::Outcome first = attempt({});
  if (!first.has_plan() || Keeps(first, limits)) return first;

  const Multipliers least = LeastMultipliers(weights, limits, first.score());
  Multipliers low;
  Multipliers high = RaisedWhereBroken({}, least, limits, first);
  for (int i = 0; i < kMostRaises && !best.has_plan() && !Expired(); ++i) {
    const plan::Outcome tried = attempt(high);
    if (Keeps(tried, limits)) break;
    low = high;
    high = RaisedWhereBroken(high, least, limits, tried);
  }
  for (int i = 0; i < kMostHalvings && best.has_plan() && !Expired(); ++i) {
    if (plan::GapOf(best.value, bound) <= request_.effort.gap) break;
    const Multipliers middle{0.5 * (low.budget + high.budget), 0.5 * (low.floor + high.floor)};
    (Keeps(attempt(middle), limits) ? high : low) = middle;
  }
  if (best.has_plan()) {
    best.bound = std::min(bound, best.value);
  } else {
    best.bound = bound;
  }
  return best;
}

// The first price of each limit: the value of the whole plan divided by its carbon or by the floor.
Engine::Multipliers Engine::LeastMultipliers(const plan::Weights& weights, const plan::Limits& limits,
                                             const plan::Score& score) {
  const double scale = std::max(std::abs(plan::ValueOf(weights, score)), kLeastValue);
  return {scale / std::max(score.carbon_kg(), kLeastValue),
          scale / std::max(limits.performance_floor.value_or(0.0), kLeastFloor)};
}

// Raises the price of each limit that the attempt does not keep.
Engine::Multipliers Engine::RaisedWhereBroken(Multipliers prices, const Multipliers& least, const plan::Limits& limits,
                                              const plan::Outcome& tried) {
  const double carbon_kg = tried.planned ? tried.planned->score.carbon_kg() : 0.0;
  const double performance = tried.planned ? tried.planned->score.performance : 0.0;
  if (limits.carbon_budget_kg && carbon_kg > *limits.carbon_budget_kg) {
    prices.budget = std::max(prices.budget * kRaise, least.budget);
  }
  if (limits.performance_floor && performance < *limits.performance_floor) {
    prices.floor = std::max(prices.floor * kRaise, least.floor);
  }
  return prices;
}

void Engine::Refine(const plan::Weights& weights, const plan::Limits& limits, plan::Outcome& outcome) {
  const plan::Problem problem{scenario_, weights, limits};
  const bool began = outcome.has_plan();
  plan::Outcome exact = milp::Solve(problem, EffortLeft(), began ? &outcome.plan() : nullptr);
  Note(exact);
  if (exact.status == plan::Termination::kInfeasible) {
    exact.reason = outcome.reason.empty() ? "no plan keeps all limits" : outcome.reason;
    outcome = std::move(exact);
    solver_ = "exact";
    return;
  }
  const double bound = began ? std::max(outcome.bound, exact.bound) : exact.bound;
  if (exact.has_plan() && (!began || exact.value <= outcome.value)) {
    if (!began || exact.value < outcome.value || exact.bound > outcome.bound) solver_ = "exact";
    outcome = std::move(exact);
  }
  if (!outcome.has_plan()) return;
  outcome = plan::OutcomeWith(*std::move(outcome.planned), outcome.value, bound, request_.effort.gap);
}

// Whether the exact solver gets the time that is left.
bool Engine::MayBeExact(const plan::Weights& weights, const plan::Limits& limits) const {
  if (request_.solver != Solver::kAuto) return request_.solver == Solver::kExact;
  return !request_.rounds && milp::ProgrammeSize({scenario_, weights, limits}) <= kLargestProgramme;
}

plan::Outcome Engine::Solve(const plan::Weights& weights, const plan::Limits& limits, Patience patience) {
  solver_ = "price";
  const bool may_be_exact = MayBeExact(weights, limits);
  improves_ = patience == Patience::kAnswer && Improves(limits);
  plan::Outcome outcome = PriceUnderLimits(weights, limits);
  if (!may_be_exact) return outcome;
  const bool proven = outcome.status == plan::Termination::kOptimal || outcome.status == plan::Termination::kInfeasible;
  if (request_.solver == Solver::kAuto && (proven || Expired())) return outcome;
  if (request_.solver == Solver::kExact) solver_ = "exact";
  if (outcome.status != plan::Termination::kInfeasible) Refine(weights, limits, outcome);
  return outcome;
}

}  // namespace heliostat::planner
