#include "heliostat/control/policy/plan_goal.h"

namespace heliostat::policy {
namespace {

constexpr double kCareful = 1e-3;     // gap of the first plan, from which the others begin
constexpr double kGoodEnough = 0.01;  // gap of later plans: much of what they plan will change
constexpr Seconds kNoLimit{1e6};
// The time between two fresh searches.
constexpr Duration kFreshPausePerJob{120};

}  // namespace

plan::Outcome PlanSolver::Solve(const scenario::Scenario& ahead, const plan::Weights& weights) {
  if (rounds_ != nullptr && rounds_->is_over()) return {};
  plan::Limits limits;
  limits.right_sizing = right_sizing_;
  const plan::Problem problem{ahead, weights, limits};
  if (afresh_ || ahead.start - fresh_ >= kFreshPausePerJob * static_cast<std::int64_t>(ahead.jobs.size())) memory_ = {};
  const bool warm = memory_.content != nullptr;
  if (!warm) fresh_ = ahead.start;
  const plan::Effort effort{kNoLimit, warm ? kGoodEnough : kCareful, afresh_, rounds_};
  plan::Outcome outcome = decomposition::Solve(problem, effort, &memory_);
  if (outcome.has_plan() || !warm) return outcome;
  // The memory of the last plan can mislead the search, so it begins again without it.
  memory_ = {};
  return decomposition::Solve(problem, {kNoLimit, kCareful, false, rounds_}, &memory_);
}

plan::Outcome LeastCost::MakePlan(const Observation& /*observation*/, const scenario::Scenario& ahead,
                                  PlanSolver& solver) {
  if (ahead.price_per_kwh.empty()) return solver.Solve(ahead, {.energy_kwh = 1.0});
  return solver.Solve(ahead, {.cost = 1.0, .energy_kwh = 1e-4});
}

}  // namespace heliostat::policy
