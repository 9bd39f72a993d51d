#include "heliostat/control/policy/plan_goal.h"

#include <algorithm>

namespace heliostat::policy {
namespace {

constexpr double kCareful = 1e-3;     // gap of the first plan, from which the others begin
constexpr double kGoodEnough = 0.01;  // gap of later plans: much of what they plan will change
constexpr Seconds kNoLimit{1e6};
// With more jobs, searches take longer, and a plan changes before a longer search has paid off.
constexpr std::size_t kFewJobs = 40;
// The time between two fresh searches, per job.
constexpr Duration kFreshPause{120};
constexpr Duration kFreshPauseOfMany{600};
// Rounds of improvement after a fresh search with few jobs: so many divided by the number of jobs.
constexpr std::size_t kRoundsTimesJobs = 80;
constexpr std::size_t kMostRounds = 6;

Duration PauseFor(std::size_t jobs) {
  return (jobs > kFewJobs ? kFreshPauseOfMany : kFreshPause) * static_cast<std::int64_t>(jobs);
}

int RoundsFor(std::size_t jobs) {
  if (jobs > kFewJobs) return 0;
  return static_cast<int>(std::min(kRoundsTimesJobs / std::max<std::size_t>(jobs, 1), kMostRounds));
}

}  // namespace

plan::Outcome PlanSolver::Solve(const scenario::Scenario& ahead, const plan::Weights& weights) {
  if (rounds_ != nullptr && rounds_->is_over()) return {};
  plan::Limits limits;
  limits.right_sizing = right_sizing_;
  const plan::Problem problem{ahead, weights, limits};
  const bool is_fresh_due = ahead.start - fresh_ >= PauseFor(ahead.jobs.size());
  const bool warm = memory_.content != nullptr && !afresh_ && !is_fresh_due;
  if (!warm) fresh_ = ahead.start;
  if (afresh_) {
    memory_ = {};
  } else if (!warm) {
    memory_.ForgetPrices();
  }
  plan::Effort effort{kNoLimit, warm ? kGoodEnough : kCareful, afresh_, rounds_};
  // Without a limit, an improvement ends when it makes no more progress.
  plan::Rounds improving = afresh_ ? plan::Rounds() : plan::Rounds::AtMost(RoundsFor(ahead.jobs.size()));
  if (!warm) effort.improving = &improving;
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
