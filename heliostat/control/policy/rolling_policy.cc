#include "heliostat/control/policy/rolling_policy.h"

#include <algorithm>
#include <utility>

namespace heliostat::policy {
void RollingPolicy::Decide(const Observation& observation, Decision& decision) {
  book_.Follow(observation);
  Note(observation);
  if (observation.slot_begins) reserve_.Learn(observation.services, observation.outlook);
  if (planning_->Take(observation.now)) AdoptPlan(observation);
  courses_.ForgetMisfits(observation, book_);
  if (!planning_->IsBusy() && trigger_.IsDue(observation, Standing(observation))) {
    BeginPlan(observation);
    if (planning_->Take(observation.now)) AdoptPlan(observation);
  }
  CarryOut(observation, decision);
}

void RollingPolicy::Note(const Observation& observation) {
  for (const JobId job : dues_.Forget(observation)) courses_.Forget(job);
  for (const JobId job : observation.arrived) {
    if (!dues_.Enter(observation, book_, job)) continue;
    if (!courses_.TakeUp(job, observation.jobs[job].asked.id)) trigger_.TakeNews();
  }
  if (observation.planning_time > Duration{0}) {
    for (const JobId job : dues_.CannotAwaitPlan(observation, book_)) {
      if (courses_.Find(job) == nullptr) courses_.StartNow(observation, book_, job);
    }
  }
  if (!observation.interrupted.empty() || slots_.LacksNodes(observation)) trigger_.TakeNews();
}

PlanStanding RollingPolicy::Standing(const Observation& observation) {
  return {dues_.size(), !slots_.Covers(observation.slot) || dues_.AnyRunsOut(courses_, observation.now),
          dues_.LeastSlack(observation, book_)};
}

void RollingPolicy::BeginPlan(const Observation& observation) {
  trigger_.Reset(observation);
  under_way_ = std::make_shared<RollingPlan>(maker_, observation,
                                             Lookahead::Manner{means_, performance_, reserve_.shares(), right_sizing_});
  under_way_->SetDues(dues_.Dues(under_way_->seen(), book_));
  planning_->Begin(under_way_, observation.now);
}

void RollingPolicy::AdoptPlan(const Observation& observation) {
  const auto made = std::exchange(under_way_, nullptr);
  if (made->plan()) {
    const bool fits =
        courses_.Adopt(observation, book_, made->seen().jobs, made->dues(), made->lookahead().CoursesOf(*made->plan()));
    if (!fits) trigger_.TakeNews();
    slots_.Adopt(made->seen(), made->lookahead(), *made->plan());
    ++record_.plans;
    if (record_.first) return;
    record_.first = made->expected();
    record_.does_first_miss = made->misses();
    return;
  }
  // The rounds ended before a plan was found: the last plan stays until the next search.
  if (made->was_cut_short()) trigger_.TakeNews();
  if (made->was_cut_short() && !slots_.IsEmpty()) return;
  courses_.RunInOrder(observation, book_, dues_.InOrder());
  slots_.KeepAllOn(observation);
}

void RollingPolicy::CarryOut(const Observation& observation, Decision& decision) {
  OrderJobs(observation, decision);
  slots_.OrderServices(observation, book_, decision);
  if (right_sizing_ && observation.capabilities.sleep_nodes && !slots_.IsEmpty()) {
    slots_.OrderNodes(observation, book_, decision);
  }
  const Instant next = NextChange(observation);
  if (next > observation.now && next < observation.horizon) decision.call_again = next;
}

std::optional<Instant> RollingPolicy::PlannedStart(JobId job) const {
  const Course* const course = courses_.Find(job);
  if (course == nullptr || course->pieces.empty()) return std::nullopt;
  return course->pieces.front().span.begin;
}

// Whether a running job gets the setting without a restart.
bool RollingPolicy::IsAlike(const std::optional<RunSetting>& setting, const JobState& state) {
  const Choices& choices = book_.Of(state.asked);
  return setting && setting->group == state.setting.group &&
         choices.At(*setting).workers == choices.At(state.setting).workers;
}

void RollingPolicy::OrderJobs(const Observation& observation, Decision& decision) {
  for (const auto& [job, course] : courses_.courses()) {
    const JobState& state = observation.jobs[job];
    if (IsOver(state.phase) || state.phase == Phase::kStarting || state.phase == Phase::kStopping) continue;
    const bool runs = state.phase == Phase::kRunning;
    auto setting = course.At(observation.now);
    // A running job whose course is over keeps its setting until the next plan.
    if (!setting && runs && (course.fixed || course.IsOver(observation.now))) setting = state.setting;
    // So does one that cannot be stopped and for which a plan found no room.
    if (runs && !observation.MayStop(state) && !IsAlike(setting, state)) setting = state.setting;
    if (setting ? (!runs || *setting != state.setting) : runs) {
      const auto end = course.RunEnd(book_.Of(state.asked), observation.now);
      decision.jobs.push_back({job, setting, end, {Reason::Kind::kPlan, end}});
      if (setting && observation.capabilities.place) decision.jobs.back().nodes = course.NodesAt(observation.now);
    }
  }
}

Instant RollingPolicy::NextChange(const Observation& observation) const {
  Instant next = observation.horizon;
  const auto consider = [&](std::optional<Instant> when) {
    if (when && *when > observation.now) next = std::min(next, *when);
  };
  consider(trigger_.deferred_until());
  consider(courses_.NextChange(observation.now));
  if (right_sizing_) consider(slots_.NextWake(observation));
  return next;
}

}  // namespace heliostat::policy
