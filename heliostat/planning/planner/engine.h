#pragma once

#include <chrono>

#include "heliostat/planning/decomposition/solve.h"
#include "heliostat/planning/planner/planner.h"

namespace heliostat::planner {

// Whether a plan is the answer, and improved as long as that makes progress, or one of several on the way to it.
enum class Patience { kStep, kAnswer };

// Solves weighted sums under limits, one after another; each search begins from the memory of the last. Chooses between
// the solvers and keeps to the time limit of the request. Refers to its arguments, which must outlive it. Not
// thread-safe.
class Engine {
 public:
  Engine(const scenario::Scenario& scenario, const PlanRequest& request, const Watcher& watcher);

  // Keeps all limits, including the carbon budget and the performance floor. After the time limit it still makes one
  // short attempt.
  plan::Outcome Solve(const plan::Weights& weights, const plan::Limits& limits, Patience patience = Patience::kStep);

  // Whether an answer is improved further: not under a budget or floor.
  static bool Improves(const plan::Limits& limits) { return !limits.carbon_budget_kg && !limits.performance_floor; }

  // Since the engine was made.
  double seconds() const;
  bool Expired() const { return !request_.rounds && seconds() >= request_.effort.time_limit.count(); }
  // Whether the rounds of the request ended the search.
  bool has_used_rounds() const { return rounds_.is_over(); }
  // Whether any search has found a plan, with or without the carbon budget and the performance floor.
  bool has_found_plan() const { return has_found_plan_; }
  // Whether the clock has ended a search.
  bool has_time_decided() const { return has_time_decided_; }
  // The solver that found the last plan: "price" or "exact".
  const std::string& solver() const { return solver_; }
  const scenario::Scenario& scenario() const { return scenario_; }

 private:
  struct Multipliers {
    double budget = 0.0;  // objective units per kg of carbon
    double floor = 0.0;   // objective units per unit of performance
  };
  plan::Outcome Price(const plan::Weights& weights, const plan::Limits& limits);
  plan::Outcome PriceUnderLimits(const plan::Weights& weights, const plan::Limits& limits);
  static Multipliers LeastMultipliers(const plan::Weights& weights, const plan::Limits& limits,
                                      const plan::Score& score);
  static Multipliers RaisedWhereBroken(Multipliers prices, const Multipliers& least, const plan::Limits& limits,
                                       const plan::Outcome& tried);
  static bool Keeps(const plan::Outcome& outcome, const plan::Limits& limits);
  void Refine(const plan::Weights& weights, const plan::Limits& limits, plan::Outcome& outcome);
  plan::Effort EffortLeft();
  bool MayBeExact(const plan::Weights& weights, const plan::Limits& limits) const;
  void Note(const plan::Outcome& outcome);
  void Show(double value, double bound) const;

  const scenario::Scenario& scenario_;
  const PlanRequest& request_;
  const Watcher& watcher_;
  std::chrono::steady_clock::time_point begun_;
  decomposition::SearchMemory memory_;
  std::string solver_ = "price";
  plan::Rounds all_rounds_;  // of searches that only the request's own rounds may end
  plan::Rounds rounds_;      // of improvement
  bool improves_ = false;    // the present search
  bool has_found_plan_ = false;
  bool has_time_decided_ = false;
};

}  // namespace heliostat::planner
