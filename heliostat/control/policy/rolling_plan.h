#pragma once

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "heliostat/control/policy/lookahead.h"
#include "heliostat/control/policy/plan_goal.h"
#include "heliostat/control/policy/planning.h"
#include "heliostat/control/policy/snapshot.h"
#include "heliostat/planning/admission/admit.h"

namespace heliostat::policy {

// What a rolling policy keeps from plan to plan for the search itself. The plan in the making shares the ownership,
// because it may outlive the policy. Not thread-safe: only the plan in the making uses it.
struct PlanMaker {
  PlanMaker(std::unique_ptr<PlanGoal> plan_goal, bool right_sizing, bool afresh)
      : goal(std::move(plan_goal)), solver(right_sizing, afresh) {}
  std::unique_ptr<PlanGoal> goal;
  PlanSolver solver;
  ChoiceTable book;
  bool was_crowded = false;  // the last plan missed deadlines
};

// One plan, made from a copy of one observation. Not thread-safe: Make() may run on another thread, and the policy
// reads the results only after the plan has arrived.
class RollingPlan : public PlanTask {
 public:
  RollingPlan(std::shared_ptr<PlanMaker> maker, const Observation& observation, Lookahead::Manner manner)
      : maker_(std::move(maker)), seen_(observation), manner_(std::move(manner)) {}

  // The observation that the plan is made from. Expected jobs in the dues are those of this observation.
  const Observation& seen() const { return seen_.observation(); }
  void SetDues(std::vector<Due> dues) { dues_ = std::move(dues); }

  void Make(plan::Rounds& rounds) override;

  // The results; read them only after Make().
  const std::vector<Due>& dues() const { return dues_; }  // with later deadlines where no plan keeps the first ones
  const std::optional<plan::Plan>& plan() const { return plan_; }
  const Lookahead& lookahead() const { return *lookahead_; }      // only with a plan
  const account::Balance& expected() const { return expected_; }  // of the plan
  // Whether jobs miss their deadlines by the plan.
  bool misses() const { return misses_; }
  // Whether the rounds ended before the search did.
  bool was_cut_short() const { return was_cut_short_; }

 private:
  void Solve(const std::set<std::size_t>& left_out);
  void PlanCrowd(const plan::Rounds& rounds);
  void Park(const std::set<std::size_t>& left_out);
  Lookahead Wide();
  bool IsFixed(const Due& due) const;
  Instant LatestOf(const Due& due) const;
  std::vector<admission::Terms> TermsIn(const Lookahead& wide) const;

  std::shared_ptr<PlanMaker> maker_;
  Snapshot seen_;
  Lookahead::Manner manner_;
  std::vector<Due> dues_;
  std::optional<Lookahead> lookahead_;
  std::optional<plan::Plan> plan_;
  account::Balance expected_;
  bool misses_ = false;
  bool was_cut_short_ = false;
};

}  // namespace heliostat::policy
