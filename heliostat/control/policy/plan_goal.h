#pragma once

#include "heliostat/control/policy/observation.h"
#include "heliostat/planning/decomposition/solve.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::policy {

// Solves one plan after another. From time to time it searches afresh and improves what it finds for a few rounds,
// which gives better plans but takes many times as long; in between, each search begins from the result of the last.
// The more jobs, the rarer are fresh searches and the fewer the rounds. No clock ends a search, only the gap or the
// number of rounds, so equal input gives equal plans. Not thread-safe.
class PlanSolver {
 public:
  // With `afresh`, every search is a fresh one, and goes on until it makes no more progress.
  PlanSolver(bool right_sizing, bool afresh) : right_sizing_(right_sizing), afresh_(afresh) {}

  // Sets the rounds for the following calls of Solve(). The caller owns them; they must outlive those calls.
  void Use(plan::Rounds& rounds) { rounds_ = &rounds; }
  // Returns an outcome without a plan once the rounds are over.
  plan::Outcome Solve(const scenario::Scenario& ahead, const plan::Weights& weights);

 private:
  bool right_sizing_;
  bool afresh_;
  decomposition::SearchMemory memory_;
  Instant fresh_{};  // start of the scenario of the last fresh search
  plan::Rounds* rounds_ = nullptr;
};

// The goal of a rolling policy's plans. It may keep state from plan to plan. Not thread-safe: one plan uses it at a
// time, perhaps on another thread than the loop's.
class PlanGoal {
 public:
  virtual ~PlanGoal() = default;
  // A plan for `ahead`. May call the solver several times.
  virtual plan::Outcome MakePlan(const Observation& observation, const scenario::Scenario& ahead,
                                 PlanSolver& solver) = 0;
};

// Plans for the least electricity cost; without prices, for the least energy. Thread-safe: it has no state.
class LeastCost : public PlanGoal {
 public:
  plan::Outcome MakePlan(const Observation& observation, const scenario::Scenario& ahead, PlanSolver& solver) override;
};

}  // namespace heliostat::policy
