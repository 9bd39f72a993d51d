#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heliostat/control/policy/lookahead.h"
#include "heliostat/control/policy/plan_goal.h"
#include "heliostat/control/policy/planning.h"
#include "heliostat/control/policy/snapshot.h"

namespace heliostat::policy {

// What a rolling policy keeps from plan to plan, apart from what it carries out. Shared with the plan in the making,
// which alone uses it then: it may live longer than the policy.
struct PlanMaker {
  PlanMaker(std::unique_ptr<PlanGoal> plan_goal, bool right_sizing)
      : goal(std::move(plan_goal)), solver(right_sizing) {}
  std::unique_ptr<PlanGoal> goal;
  PlanSolver solver;
  ChoiceTable book;
};

// One plan for all that was known at one moment.
class RollingPlan : public PlanTask {
 public:
  RollingPlan(std::shared_ptr<PlanMaker> maker, const Observation& observation, Lookahead::Manner manner)
      : maker_(std::move(maker)), seen_(observation), manner_(std::move(manner)) {}

  // What it is made from. Dues refer to the jobs that are expected here.
  const Observation& seen() const { return seen_.observation(); }
  void SetDues(std::vector<Due> dues) { dues_ = std::move(dues); }

  void Make(plan::Rounds& rounds) override;

  // The following once it is made.
  const std::vector<Due>& dues() const { return dues_; }  // deadlines that no plan keeps are later now
  const std::optional<plan::Plan>& plan() const { return plan_; }
  const Lookahead& lookahead() const { return *lookahead_; }  // only with a plan
  bool was_cut_short() const { return was_cut_short_; }

 private:
  std::shared_ptr<PlanMaker> maker_;
  Snapshot seen_;
  Lookahead::Manner manner_;
  std::vector<Due> dues_;
  std::optional<Lookahead> lookahead_;
  std::optional<plan::Plan> plan_;
  bool was_cut_short_ = false;
};

}  // namespace heliostat::policy
