#pragma once

#include <chrono>

#include "heliostat/planning/decomposition/solve.h"
#include "heliostat/planning/planner/planner.h"

namespace heliostat::planner {

// Solves weighed sums under limits, one after the other, each beginning from what the last one learnt. Chooses between
// the solvers and keeps the clock.
class Engine {
 public:
  Engine(const scenario::Scenario& scenario, const PlanRequest& request, const Watcher& watcher);

  // Budget and floor included.
  plan::Outcome Solve(const plan::Weights& weights, const plan::Limits& limits);

  double seconds() const;
  bool Expired() const { return seconds() >= request_.effort.time_limit.count(); }
  // The solver that found the last plan: "price" or "exact".
  const std::string& solver() const { return solver_; }
  const scenario::Scenario& scenario() const { return scenario_; }

 private:
  struct Multipliers {
    double budget = 0.0;  // objective units a kg above the budget
    double floor = 0.0;   // objective units of performance below the floor
  };
  plan::Outcome Price(const plan::Weights& weights, const plan::Limits& limits);
  plan::Outcome PriceUnderLimits(const plan::Weights& weights, const plan::Limits& limits);
  static Multipliers LeastMultipliers(const plan::Weights& weights, const plan::Limits& limits,
                                      const plan::Score& score);
  static Multipliers RaisedWhereBroken(Multipliers prices, const Multipliers& least, const plan::Limits& limits,
                                       const plan::Outcome& tried);
  static bool Keeps(const plan::Outcome& outcome, const plan::Limits& limits);
  void Refine(const plan::Weights& weights, const plan::Limits& limits, plan::Outcome& outcome);
  plan::Effort EffortLeft() const;

  const scenario::Scenario& scenario_;
  const PlanRequest& request_;
  const Watcher& watcher_;
  std::chrono::steady_clock::time_point begun_;
  decomposition::SearchMemory memory_;
  std::string solver_ = "price";
};

}  // namespace heliostat::planner
