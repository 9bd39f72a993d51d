#include "heliostat/planning/milp/solve.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "heliostat/planning/milp/branch.h"
#include "heliostat/planning/milp/extract.h"
#include "heliostat/planning/milp/points.h"
#include "heliostat/planning/milp/polish.h"
#include "heliostat/planning/milp/programme.h"
#include "heliostat/planning/plan/check.h"

namespace heliostat::milp {
namespace {

// How often a limit that the plan exceeds is tightened in the programme, and by which multiple of the excess.
constexpr int kTightenings = 6;
constexpr double kTighten = 1.25;
// For programmes without integers, which take far less time.
constexpr Seconds kRelaxedTime{60.0};
// The share of the time for branching; the rest is for making plans.
constexpr double kShareForBranching = 0.7;
// A gap within CBC's tolerances counts as none.
constexpr double kNoGap = 1e-6;

class Deadline {
 public:
  explicit Deadline(Seconds limit) : end_(Now() + limit) {}
  Seconds Left() const { return std::max(Seconds{0.0}, end_ - Now()); }

 private:
  static Seconds Now() { return std::chrono::steady_clock::now().time_since_epoch(); }
  Seconds end_;
};

// The integer columns of a solution.
std::vector<std::pair<int, double>> WholeOf(const Linear& linear, const std::vector<double>& values) {
  std::vector<std::pair<int, double>> whole;
  for (std::size_t i = 0; i < linear.columns.size(); ++i) {
    if (linear.columns[i].whole) whole.emplace_back(static_cast<int>(i), std::round(values[i]));
  }
  return whole;
}

// The best plan so far.
struct Best {
  std::optional<plan::Planned> planned;
  double value = 0.0;
};

void Consider(const plan::Problem& problem, const plan::Plan& plan, Best& best) {
  plan::Score score = plan::ScoreOf(problem.scenario, plan);
  const double value = plan::ValueOf(problem.weights, score);
  if (best.planned && value >= best.value) return;
  best = {plan::Planned{plan, std::move(score)}, value};
}

// Tightens the limits that the plan exceeds; false when it exceeds none.
bool Tighten(const plan::Problem& problem, const plan::Plan& plan, Programme& programme) {
  const plan::Score score = plan::ScoreOf(problem.scenario, plan);
  bool tightened = false;
  const auto row = [&](int index) -> Linear::Row& { return programme.linear.rows[static_cast<std::size_t>(index)]; };
  if (problem.limits.carbon_budget_kg) {
    const double excess = score.carbon_kg() - *problem.limits.carbon_budget_kg;
    if (excess > 0.0) {
      row(programme.carbon_row).upper -= kTighten * excess;
      tightened = true;
    }
  }
  if (problem.limits.performance_floor) {
    const double missing = *problem.limits.performance_floor - score.performance;
    if (missing > 0.0) {
      row(programme.performance_row).lower += kTighten * missing;
      tightened = true;
    }
  }
  if (problem.limits.facility_cap) {
    const Joules most = *problem.limits.facility_cap * Seconds(problem.scenario.step);
    for (std::size_t slot = 0; slot < problem.scenario.slots; ++slot) {
      const Joules excess = score.slots[slot].facility - most;
      if (excess <= Joules{}) continue;
      programme.linear.At(programme.slots[slot].facility).upper -= kTighten * InKilowattHours(excess);
      tightened = true;
    }
  }
  return tightened;
}

// Makes plans from the solution and, while they exceed a limit, from the programme with a tighter limit.
void Realise(const plan::Problem& problem, Programme programme, std::vector<double> values, const Deadline& deadline,
             Best& best) {
  for (int i = 0; i < kTightenings; ++i) {
    plan::Plan plan = Extract(problem, programme, values);
    if (plan::Violations(problem.scenario, problem.limits, plan).empty()) {
      Polish(
          problem, [&] { return deadline.Left() > Seconds{0.0}; }, plan);
      Consider(problem, plan, best);
      return;
    }
    if (!Tighten(problem, plan, programme)) return;
    const Relaxed relaxed = SolveRelaxed(Fixed(programme.linear, WholeOf(programme.linear, values)), kRelaxedTime);
    if (relaxed.ended == Ended::kSolved) {
      values = relaxed.values;
      continue;
    }
    Branched again = SolveWhole(programme.linear, {}, {deadline.Left(), 1e-3});
    if (again.values.empty()) return;
    values = std::move(again.values);
  }
}

plan::Outcome Infeasible() {
  return {.status = plan::Termination::kInfeasible,
          .reason = "no plan keeps every deadline, latency and limit at once"};
}

plan::Outcome OutcomeOf(Best best, const Branched& all, double gap) {
  if (best.planned) return plan::OutcomeWith(*std::move(best.planned), best.value, all.bound, gap);
  return {.bound = all.bound,
          .reason = all.values.empty() ? "no plan was found within the time limit"
                                       : "the solution could not be turned into a plan in whole seconds"};
}

}  // namespace

plan::Outcome Solve(const plan::Problem& problem, const plan::Effort& effort, const plan::Plan* start) {
  const Deadline deadline(effort.time_limit);
  const double gap = std::max(effort.gap, kNoGap);
  Best best;
  if (start != nullptr && plan::Violations(problem.scenario, problem.limits, *start).empty()) {
    Consider(problem, *start, best);
  }
  const std::optional<Programme> programme = Build(problem);
  if (!programme) return Infeasible();
  std::vector<std::pair<int, double>> begin;
  if (best.planned) begin = WholePart(problem, *programme, best.planned->plan);
  const Branched all = SolveWhole(programme->linear, begin, {effort.time_limit * kShareForBranching, effort.gap / 2.0});
  if (all.ended == Ended::kInfeasible && !best.planned) return Infeasible();
  if (!all.values.empty()) Realise(problem, *programme, all.values, deadline, best);
  // Out of time without a solution: the fractional solution still shows when work is cheapest.
  if (!best.planned && !all.relaxed.empty()) Realise(problem, *programme, all.relaxed, deadline, best);
  plan::Outcome outcome = OutcomeOf(std::move(best), all, gap);
  outcome.time_decided = all.ended == Ended::kStopped;
  return outcome;
}

std::size_t ProgrammeSize(const plan::Problem& problem) {
  const scenario::Scenario& scenario = problem.scenario;
  std::size_t whole = problem.limits.right_sizing ? scenario.groups.size() * scenario.slots : 0;
  for (const scenario::Job& job : scenario.jobs) {
    const auto [first, last] = SlotsOf(scenario, job);
    for (std::size_t group = 0; group < scenario.groups.size(); ++group) {
      const std::vector<WorkerChoice> choices = WorkerChoices(scenario, job, group, true);
      whole += choices.empty() ? 0 : 1;
      for (const WorkerChoice& choice : choices) {
        if (CountsUse(job, choice.workers, scenario.groups[group])) whole += last - first;
      }
    }
  }
  for (const scenario::Service& service : scenario.services) {
    for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
      const std::size_t options = serving::OptionsFor(scenario, service, slot, false).size();
      whole += options > 1 ? options : 0;
    }
  }
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    if (scenario.renewable[slot] > Watts{} && NeedsOnGrid(problem, slot)) ++whole;
  }
  return whole;
}

}  // namespace heliostat::milp
