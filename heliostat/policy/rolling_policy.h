#pragma once

#include <vector>

#include "heliostat/plan/objective.h"
#include "heliostat/policy/choices.h"
#include "heliostat/policy/course_book.h"
#include "heliostat/policy/due_book.h"
#include "heliostat/policy/policy.h"
#include "heliostat/policy/replan_trigger.h"
#include "heliostat/policy/service_reserve.h"
#include "heliostat/policy/slot_plan.h"
#include "heliostat/price/price.h"

namespace heliostat::policy {

// Plans all jobs, services and nodes together with the planner, carries the plan out, and plans again, beginning from
// the last plan, when something has changed: a job came, a node failed, a forecast moved, a job is not done when it
// should be. The derived class says what is minimised. Not safe for several threads.
class RollingPolicy : public Policy {
 public:
  RollingPolicy(const Options& options, Means means, bool right_sizing, scenario::Performance performance)
      : means_(means),
        right_sizing_(right_sizing),
        performance_(performance),
        dues_(options.patience, means, right_sizing) {}
  void Decide(const Observation& observation, Decision& decision) final;
  bool MindsNodes() const final { return right_sizing_; }

 protected:
  // A plan for the time ahead. `Solve` may be asked several times; the last answer with a plan is carried out.
  virtual plan::Outcome MakePlan(const Observation& observation, const scenario::Scenario& ahead) = 0;
  plan::Outcome Solve(const scenario::Scenario& ahead, const plan::Weights& weights);

 private:
  void Note(const Observation& observation);
  PlanStanding Standing(const Observation& observation);
  void Plan(const Observation& observation);
  void CarryOut(const Observation& observation, Decision& decision);
  // Both return GPUs that their orders need more than jobs and services have: [group].
  std::vector<int> OrderJobs(const Observation& observation, Decision& decision);
  void OrderServices(const Observation& observation, std::vector<int>& missing, Decision& decision) const;
  // When to be called again if nothing happens; not before the horizon: never.
  Instant NextChange(const Observation& observation) const;

  Means means_;
  bool right_sizing_;
  scenario::Performance performance_;
  ChoiceBook book_;
  price::Memory memory_;
  ReplanTrigger trigger_;
  ServiceReserve reserve_;
  DueBook dues_;
  CourseBook courses_;
  SlotPlan slots_;
};

}  // namespace heliostat::policy
