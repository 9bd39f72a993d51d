#include "heliostat/control/policy/rolling_plan.h"

#include "heliostat/control/policy/due_table.h"

namespace heliostat::policy {
namespace {

// How often deadlines are moved when no plan keeps them. After that, jobs run without a plan.
constexpr int kMostTries = 12;

}  // namespace

void RollingPlan::Make(plan::Rounds& rounds) {
  maker_->solver.Use(rounds);
  maker_->book.Follow(seen());
  for (int i = 0; i < kMostTries && !plan_; ++i) {
    lookahead_.emplace(seen(), maker_->book, dues_, manner_);
    plan::Outcome outcome = maker_->goal->MakePlan(seen(), lookahead_->scenario(), maker_->solver);
    if (outcome.has_plan()) plan_ = std::move(outcome.planned->plan);
    // When not all deadlines can be kept, a plan in which some jobs are late is better than none.
    bool relaxed = false;
    for (const std::size_t job : outcome.unplaced) {
      relaxed = Relax(seen(), dues_[lookahead_->DueOf(job)]) || relaxed;
    }
    if (!relaxed) break;
  }
  was_cut_short_ = rounds.is_over();
}

}  // namespace heliostat::policy
