#pragma once

#include <memory>
#include <vector>

#include "heliostat/control/policy/choices.h"
#include "heliostat/control/policy/course_table.h"
#include "heliostat/control/policy/due_table.h"
#include "heliostat/control/policy/policy.h"
#include "heliostat/control/policy/replan_trigger.h"
#include "heliostat/control/policy/rolling_plan.h"
#include "heliostat/control/policy/service_reserve.h"
#include "heliostat/control/policy/slot_plan.h"

namespace heliostat::policy {

// Base of the policies that plan all jobs, services and nodes together. It carries the plan out and plans again when
// something has changed: a job has arrived, a node has failed, a forecast has moved, a job is not done when it should
// be. Each search begins from the last plan. The loop continues while a plan is made: until it arrives the policy
// carries out the last plan; without one, jobs stay as they are. Not thread-safe.
class RollingPolicy : public Policy {
 public:
  RollingPolicy(const PolicyOptions& options, Means means, bool right_sizing, scenario::Performance performance,
                std::unique_ptr<PlanGoal> goal)
      : means_(means),
        right_sizing_(right_sizing),
        performance_(performance),
        maker_(std::make_shared<PlanMaker>(std::move(goal), right_sizing, options.plans_afresh)),
        trigger_(options.plans_afresh),
        dues_(options.patience, means, right_sizing) {}
  void Decide(const Observation& observation, Decision& decision) override;
  void PlanWith(Planning& planning) override { planning_ = &planning; }
  bool MindsNodes() const override { return right_sizing_; }
  bool Replans() const override { return true; }
  PlanRecord Plans() const override { return record_; }
  std::optional<Instant> PlannedStart(JobId job) const override;

 private:
  void Note(const Observation& observation);
  PlanStanding Standing(const Observation& observation);
  void BeginPlan(const Observation& observation);
  void AdoptPlan(const Observation& observation);
  void CarryOut(const Observation& observation, Decision& decision);
  void OrderJobs(const Observation& observation, Decision& decision);
  bool IsAlike(const std::optional<RunSetting>& setting, const JobState& state);
  // When to call the policy again if nothing happens. The horizon means never.
  Instant NextChange(const Observation& observation) const;

  Means means_;
  bool right_sizing_;
  scenario::Performance performance_;
  std::shared_ptr<PlanMaker> maker_;
  TimedPlanning in_place_;
  Planning* planning_ = &in_place_;
  std::shared_ptr<RollingPlan> under_way_;
  ChoiceTable book_;
  ReplanTrigger trigger_;
  ServiceReserve reserve_;
  DueTable dues_;
  CourseTable courses_;
  SlotPlan slots_;
  PlanRecord record_;
};

}  // namespace heliostat::policy
