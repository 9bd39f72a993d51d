#include "heliostat/control/policy/rolling_plan.h"

#include <algorithm>

#include "heliostat/control/policy/due_table.h"

namespace heliostat::policy {
namespace {

using namespace std::chrono_literals;

constexpr int kExchanges = 60;
// When no plan keeps the deadlines of late jobs, they move: by this part of the time until then, at least so far.
constexpr int kMostMoves = 2;
constexpr int kMovePart = 4;
constexpr Duration kLeastMove = 15min;
// Before a deadline, because seconds are whole and plans are not exact.
constexpr Duration kMargin = 30s;

}  // namespace

void RollingPlan::Make(plan::Rounds& rounds) {
  maker_->solver.Use(rounds);
  maker_->book.Follow(seen());
  // A cluster that was crowded a moment ago mostly still is, and a search that fails takes long.
  if (!maker_->was_crowded) Solve({});
  if (!plan_ && !rounds.is_over()) PlanCrowd(rounds);
  was_cut_short_ = rounds.is_over();
}

// Plans with `dues_`. The jobs in `left_out`, by index of their due, need not be done.
void RollingPlan::Solve(const std::set<std::size_t>& left_out) {
  lookahead_.emplace(seen(), maker_->book, dues_, manner_);
  scenario::Scenario ahead = lookahead_->scenario();
  for (std::size_t j = 0; j < ahead.jobs.size() && !left_out.empty(); ++j) {
    if (left_out.contains(lookahead_->DueOf(j))) ahead.jobs[j].deadline.reset();
  }
  plan::Outcome outcome = maker_->goal->MakePlan(seen(), ahead, maker_->solver);
  if (!outcome.has_plan()) return;
  expected_ = outcome.score().total;
  plan_ = std::move(outcome.planned->plan);
}

// Decides which jobs miss their deadlines, and plans with later ones for them.
void RollingPlan::PlanCrowd(const plan::Rounds& rounds) {
  Lookahead wide = Wide();
  const scenario::Scenario& ahead = wide.scenario();
  const auto admission = admission::Admit(ahead, {.right_sizing = manner_.nodes_sleep}, TermsIn(wide), kExchanges);
  const bool was_tried = !maker_->was_crowded;
  maker_->was_crowded = admission && admission->is_crowded;
  if (!was_tried && !maker_->was_crowded) Solve({});
  if (plan_ || !admission) return;
  std::set<std::size_t> late;
  std::set<std::size_t> left_out;
  for (std::size_t j = 0; j < ahead.jobs.size(); ++j) {
    Due& due = dues_[wide.DueOf(j)];
    if (IsFixed(due)) continue;
    const bool is_late = std::ranges::binary_search(admission->missed, j);
    if (!admission->finish[j]) {
      left_out.insert(wide.DueOf(j));
    } else if (is_late) {
      late.insert(wide.DueOf(j));
      due.by = *admission->finish[j];
    } else if (*admission->finish[j] > due.by) {
      due.by = LatestOf(due);
    }
  }
  misses_ = !late.empty() || !left_out.empty();
  // While GPUs are short, more jobs that are not known yet will need them: all work is done as early as it can.
  const bool knows_jobs = std::ranges::any_of(dues_, [](const Due& due) { return due.expected != nullptr; });
  const int tries = maker_->was_crowded && !knows_jobs ? 0 : kMostMoves;
  for (int i = 0; i < tries && !plan_ && !rounds.is_over(); ++i) {
    Solve(left_out);
    for (const std::size_t index : late) {
      const Duration more = std::max<Duration>(kLeastMove, (dues_[index].by - seen().now) / kMovePart);
      dues_[index].by = std::min(dues_[index].by + more, ahead.end());
    }
  }
  if (!plan_ && rounds.is_over()) return;
  if (!plan_) {
    expected_ = plan::ScoreOf(ahead, admission->plan).total;
    plan_ = admission->plan;
    lookahead_ = std::move(wide);
  }
  Park(left_out);
}

// A job that cannot be done within the time ahead gives its GPUs to the others: an empty segment at the end.
void RollingPlan::Park(const std::set<std::size_t>& left_out) {
  const scenario::Scenario& ahead = lookahead_->scenario();
  for (std::size_t j = 0; j < ahead.jobs.size(); ++j) {
    if (!left_out.contains(lookahead_->DueOf(j)) || !plan_->jobs[j].segments.empty()) continue;
    for (std::size_t g = 0; g < ahead.groups.size(); ++g) {
      const auto points = ahead.PointsFor(ahead.jobs[j], g);
      if (points.empty()) continue;
      plan_->jobs[j].segments.push_back({{ahead.end(), ahead.end()}, g, points.front()});
      break;
    }
  }
}

bool RollingPlan::IsFixed(const Due& due) const {
  if (due.expected != nullptr) return false;
  const JobState& state = seen().jobs[due.job];
  return HoldsGpus(state.phase) && (!seen().MayStop(state) || manner_.means == Means::kDefault);
}

// The time ahead as far as it is known, so that late jobs have room.
Lookahead RollingPlan::Wide() {
  std::vector<Due> dues = dues_;
  const Instant end =
      seen().SlotNow().begin + seen().site->step * static_cast<std::int64_t>(seen().outlook.Ahead().slots());
  for (Due& due : dues) {
    if (!IsFixed(due)) due.by = std::min(end, seen().horizon);
  }
  return {seen(), maker_->book, dues, manner_};
}

// The last moment at which the job is not late. For a job without a deadline, the end of its patience.
Instant RollingPlan::LatestOf(const Due& due) const {
  const scenario::Job& asked = due.expected != nullptr ? *due.expected : seen().jobs[due.job].asked;
  return asked.deadline ? std::max(due.by, std::min(*asked.deadline, seen().horizon) - kMargin) : due.by;
}

std::vector<admission::Terms> RollingPlan::TermsIn(const Lookahead& wide) const {
  std::vector<admission::Terms> terms;
  for (std::size_t j = 0; j < wide.scenario().jobs.size(); ++j) {
    const Due& due = dues_[wide.DueOf(j)];
    const scenario::Job& asked = due.expected != nullptr ? *due.expected : seen().jobs[due.job].asked;
    if (IsFixed(due)) {
      terms.push_back({*wide.scenario().jobs[j].deadline, 0.0, true, true});
    } else if (!asked.deadline) {
      terms.push_back({due.by, 0.0});
    } else {
      // A deadline that has passed or cannot be kept any more is missed in any case. One that can be kept only without
      // the margin is not given up.
      const Instant by = std::min(*asked.deadline, seen().horizon);
      terms.push_back({std::max(by - kMargin, std::min(due.by, by)), asked.weight});
    }
  }
  return terms;
}

}  // namespace heliostat::policy
