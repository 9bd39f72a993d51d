#pragma once

#include "heliostat/control/policy/observation.h"
#include "heliostat/planning/decomposition/solve.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::policy {

// Solves one plan after the other, each beginning from the last. Only rounds end a search, so that equal input gives
// equal plans. Used by one thread at a time.
class PlanSolver {
 public:
  explicit PlanSolver(bool right_sizing) : right_sizing_(right_sizing) {}

  // The rounds of the next answers. They outlive those.
  void Use(plan::Rounds& rounds) { rounds_ = &rounds; }
  // No plan once the rounds are over.
  plan::Outcome Solve(const scenario::Scenario& ahead, const plan::Weights& weights);

 private:
  bool right_sizing_;
  decomposition::SearchMemory memory_;
  plan::Rounds* rounds_ = nullptr;
};

// What the plans of a rolling policy are to achieve. It may learn from plan to plan. Used by one thread at a time,
// which need not be the loop's.
class PlanGoal {
 public:
  virtual ~PlanGoal() = default;
  // A plan for the time ahead. The solver may be asked several times.
  virtual plan::Outcome MakePlan(const Observation& observation, const scenario::Scenario& ahead,
                                 PlanSolver& solver) = 0;
};

// The least electricity cost; without prices, the least energy.
class LeastCost : public PlanGoal {
 public:
  plan::Outcome MakePlan(const Observation& observation, const scenario::Scenario& ahead, PlanSolver& solver) override;
};

}  // namespace heliostat::policy
