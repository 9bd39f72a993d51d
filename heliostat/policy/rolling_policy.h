#pragma once

#include <map>
#include <optional>
#include <vector>

#include "heliostat/plan/objective.h"
#include "heliostat/policy/choices.h"
#include "heliostat/policy/course_book.h"
#include "heliostat/policy/lookahead.h"
#include "heliostat/policy/policy.h"
#include "heliostat/policy/replan_trigger.h"
#include "heliostat/policy/service_reserve.h"
#include "heliostat/policy/slot_plan.h"
#include "heliostat/price/price.h"

namespace heliostat::policy {

// Plans all jobs, services and nodes together with the planner, carries the plan out, and plans anew, beginning from
// the last plan, when something has changed: a job came, a node failed, a forecast moved, a job is not done when it
// should be. What is minimised is the derived class's to say.
class RollingPolicy : public Policy {
 public:
  RollingPolicy(const Options& options, Means means, bool right_sizing, scenario::Performance performance)
      : patience_(options.patience), means_(means), right_sizing_(right_sizing), performance_(performance) {}
  void Decide(const Observation& observation, Decision& decision) final;
  bool MindsNodes() const final { return right_sizing_; }

 protected:
  // A plan for the time ahead. `Solve` may be asked several times; the last answer with a plan is carried out.
  virtual plan::Outcome MakePlan(const Observation& observation, const scenario::Scenario& ahead) = 0;
  plan::Outcome Solve(const scenario::Scenario& ahead, const plan::Weights& weights);

 private:
  void Note(const Observation& observation);
  void Enter(const Observation& observation, JobId job);
  // How long the tightest of the jobs that have just come could wait; nothing when none has.
  std::optional<Seconds> LeastSlack(const Observation& observation);
  // Whether the plan says nothing about this slot any more, or about a job that is not done.
  bool HasRunOut(const Observation& observation) const;
  std::vector<Due> DuesOf(const Observation& observation);
  static bool Relax(const Observation& observation, const Lookahead& lookahead, const plan::Outcome& outcome,
                    std::vector<Due>& dues);
  void Plan(const Observation& observation);
  void AddExpected(const Observation& observation, std::vector<Due>& dues);
  // Without a plan: who is due first runs first, as fast as it can, until the slot ends.
  void RunByDeadline(const Observation& observation);
  void CarryOut(const Observation& observation, Decision& decision);
  Instant NextChange(const Observation& observation) const;

  Duration patience_;
  Means means_;
  bool right_sizing_;
  scenario::Performance performance_;
  ChoiceBook book_;
  price::Memory memory_;
  struct Aim {
    Instant by;     // the deadline, or as long as patience lasts
    Instant early;  // a little before, for what goes wrong
  };
  std::map<JobId, Aim> due_;  // of all jobs that are not done
  CourseBook courses_;
  SlotPlan slots_;
  ServiceReserve reserve_;
  ReplanTrigger trigger_;
};

}  // namespace heliostat::policy
