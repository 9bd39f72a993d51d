#include <algorithm>
#include <cmath>

#include "heliostat/planning/planner/best_effort.h"
#include "heliostat/planning/planner/engine.h"
#include "heliostat/planning/planner/planner.h"
#include "heliostat/planning/planner/reasons.h"

namespace heliostat::planner {
namespace {

double ValueOn(TradeOffAxis axis, const plan::Score& score) {
  switch (axis) {
    case TradeOffAxis::kCarbon:
      return score.carbon_kg();
    case TradeOffAxis::kCost:
      return score.total.cost;
    case TradeOffAxis::kEnergy:
      return InKilowattHours(score.total.facility);
    case TradeOffAxis::kPerformance:
      return score.performance;
  }
  return 0.0;
}

// Less is better on every axis but performance.
double Badness(TradeOffAxis axis, const plan::Score& score) {
  return axis == TradeOffAxis::kPerformance ? -ValueOn(axis, score) : ValueOn(axis, score);
}

void AddWeight(TradeOffAxis axis, double weight, plan::Weights& weights) {
  switch (axis) {
    case TradeOffAxis::kCarbon:
      weights.carbon_kg += weight;
      return;
    case TradeOffAxis::kCost:
      weights.cost += weight;
      return;
    case TradeOffAxis::kEnergy:
      weights.energy_kwh += weight;
      return;
    case TradeOffAxis::kPerformance:
      weights.performance += weight;
      return;
  }
}

plan::Objective ObjectiveOf(TradeOffAxis axis) {
  switch (axis) {
    case TradeOffAxis::kCost:
      return plan::Objective::kMinCost;
    case TradeOffAxis::kEnergy:
      return plan::Objective::kMinEnergy;
    case TradeOffAxis::kPerformance:
      return plan::Objective::kMaxPerformance;
    default:
      return plan::Objective::kMinCarbon;
  }
}

bool Beats(const Frontier& frontier, const plan::Score& a, const plan::Score& b) {
  const double a1 = Badness(frontier.first, a);
  const double b1 = Badness(frontier.first, b);
  const double a2 = Badness(frontier.second, a);
  const double b2 = Badness(frontier.second, b);
  return a1 <= b1 && a2 <= b2 && (a1 < b1 || a2 < b2);
}

void DropBeaten(Frontier& frontier) {
  std::vector<plan::PlanAnswer> kept;
  for (std::size_t i = 0; i < frontier.answers.size(); ++i) {
    const plan::Score& mine = frontier.answers[i].outcome.score();
    bool beaten = false;
    for (std::size_t k = 0; k < frontier.answers.size() && !beaten; ++k) {
      const plan::Score& other = frontier.answers[k].outcome.score();
      const bool same = Badness(frontier.first, mine) == Badness(frontier.first, other) &&
                        Badness(frontier.second, mine) == Badness(frontier.second, other);
      beaten = Beats(frontier, other, mine) || (same && k < i);
    }
    if (!beaten) kept.push_back(frontier.answers[i]);
  }
  std::ranges::sort(kept, {}, [&](const plan::PlanAnswer& a) { return ValueOn(frontier.first, a.outcome.score()); });
  frontier.answers = std::move(kept);
}

}  // namespace

Result<Frontier> MakeFrontier(const scenario::Scenario& scenario, const PlanRequest& request, TradeOffAxis first,
                              TradeOffAxis second, int points, const Watcher& watcher) {
  if (first == second) return Fail(ErrorCode::kInvalidArgument, "axes", "both axes are the same", "two axes");
  if (points < 2) return Fail(ErrorCode::kInvalidArgument, "points", std::to_string(points), "2 or more");
  Frontier frontier{first, second, {}};
  PlanRequest each = request;
  each.effort.time_limit = request.effort.time_limit / points;
  for (const TradeOffAxis axis : {first, second}) {
    each.objective = ObjectiveOf(axis);
    auto end = MakePlan(scenario, each, watcher);
    if (!end) return Propagate(end);
    if (!end->outcome.has_plan()) {
      frontier.answers = {std::move(*end)};
      return frontier;
    }
    frontier.answers.push_back(std::move(*end));
  }
  const auto range = [&](TradeOffAxis axis) {
    const double a = ValueOn(axis, frontier.answers[0].outcome.score());
    const double b = ValueOn(axis, frontier.answers[1].outcome.score());
    return std::abs(a - b);
  };
  const double range1 = range(first);
  const double range2 = range(second);
  if (range1 > 0.0 && range2 > 0.0) {
    // Where deadlines cannot be kept, all points miss those of the first end.
    const plan::Outcome end = frontier.answers[0].outcome;
    const scenario::Scenario kept = KeptBy(scenario, end);
    PlanRequest between = request;
    if (!end.missed.empty()) between.limits.finish_best_effort = false;
    Engine engine(kept, between, watcher);
    for (int i = 1; i + 1 < points && !engine.Expired(); ++i) {
      const double share = static_cast<double>(i) / (points - 1);
      plan::Weights weights;
      AddWeight(first, (1.0 - share) / range1, weights);
      AddWeight(second, share / range2, weights);
      plan::Outcome outcome = engine.Solve(weights, between.limits);
      if (!outcome.has_plan()) continue;
      if (!end.missed.empty()) {
        NameMisses(scenario, request, admission::LeastMisses(scenario, request.limits), outcome);
      }
      frontier.answers.push_back({"trade-off", engine.solver(), engine.seconds(), std::move(outcome)});
    }
  }
  DropBeaten(frontier);
  return frontier;
}

}  // namespace heliostat::planner
