#include "heliostat/policy/rolling_policy.h"

#include <algorithm>

namespace heliostat::policy {
namespace {

// How often deadlines that no plan keeps are moved before jobs run without a plan.
constexpr int kMostTries = 12;
constexpr double kCareful = 1e-3;     // gap of the first plan, which others begin from
constexpr double kGoodEnough = 0.01;  // of what is planned later, much will have changed before it is done
constexpr Seconds kNoLimit{1e6};      // only rounds end a search, so that equal input gives equal plans

}  // namespace

plan::Outcome RollingPolicy::Solve(const scenario::Scenario& ahead, const plan::Weights& weights) {
  plan::Limits limits;
  limits.right_sizing = right_sizing_;
  const plan::Problem problem{ahead, weights, limits};
  const bool warm = memory_.content != nullptr;
  const plan::Effort effort{kNoLimit, warm ? kGoodEnough : kCareful, false};
  plan::Outcome outcome = price::Solve(problem, effort, &memory_);
  if (outcome.has_plan() || !warm) return outcome;
  // What the last plan knew can lead astray: from the beginning, then.
  memory_ = {};
  return price::Solve(problem, {kNoLimit, kCareful, false}, &memory_);
}

void RollingPolicy::Decide(const Observation& observation, Decision& decision) {
  book_.Follow(observation);
  Note(observation);
  if (observation.slot_begins) reserve_.Learn(observation.services, observation.outlook);
  if (trigger_.IsDue(observation, Standing(observation))) Plan(observation);
  CarryOut(observation, decision);
}

void RollingPolicy::Note(const Observation& observation) {
  for (const JobId job : dues_.Forget(observation)) courses_.Forget(job);
  for (const JobId job : observation.arrived) {
    if (!dues_.Enter(observation, book_, job)) continue;
    if (!courses_.TakeUp(job, observation.jobs[job].asked.id)) trigger_.TakeNews();
  }
  if (!observation.interrupted.empty() || slots_.LacksNodes(observation)) trigger_.TakeNews();
}

PlanStanding RollingPolicy::Standing(const Observation& observation) {
  return {dues_.size(), !slots_.Covers(observation.slot) || dues_.AnyRunsOut(courses_, observation.now),
          dues_.LeastSlack(observation, book_)};
}

void RollingPolicy::Plan(const Observation& observation) {
  trigger_.Reset(observation);
  std::vector<Due> dues = dues_.Dues(observation, book_, courses_);
  for (int i = 0; i < kMostTries; ++i) {
    const Lookahead lookahead(observation, book_, dues, {means_, performance_, reserve_.shares(), right_sizing_});
    const plan::Outcome outcome = MakePlan(observation, lookahead.scenario());
    if (outcome.has_plan()) {
      courses_.Adopt(observation, book_, dues, lookahead.CoursesOf(outcome.plan()));
      slots_.Adopt(observation, lookahead, outcome.plan());
      return;
    }
    // When not all deadlines can be kept, a plan in which some jobs are late is better than none.
    bool relaxed = false;
    for (const std::size_t job : outcome.unplaced) {
      relaxed = Relax(observation, dues[lookahead.DueOf(job)]) || relaxed;
    }
    if (!relaxed) break;
  }
  courses_.RunInOrder(observation, book_, dues_.InOrder());
  slots_.KeepAllOn(observation);
}

void RollingPolicy::CarryOut(const Observation& observation, Decision& decision) {
  std::vector<int> missing = OrderJobs(observation, decision);
  OrderServices(observation, missing, decision);
  if (right_sizing_ && observation.capabilities.sleep_nodes) {
    decision.nodes_on = slots_.NodesOn(observation, missing);
  }
  const Instant next = NextChange(observation);
  if (next > observation.now && next < observation.horizon) decision.call_again = next;
}

std::vector<int> RollingPolicy::OrderJobs(const Observation& observation, Decision& decision) {
  std::vector<int> missing(observation.groups.size(), 0);
  for (const auto& [job, course] : courses_.courses()) {
    const JobState& state = observation.jobs[job];
    if (IsOver(state.phase) || state.phase == Phase::kStarting || state.phase == Phase::kStopping) continue;
    const Choices& choices = book_.Of(state.asked);
    const bool runs = state.phase == Phase::kRunning;
    auto setting = course.At(observation.now);
    // Where the plan has nothing more to say of a job that is not done, it goes on as it is until there is another.
    if (!setting && runs && (course.fixed || course.IsOver(observation.now))) setting = state.setting;
    if (runs) missing[state.setting.group] -= choices.At(state.setting).workers;
    if (setting) missing[setting->group] += choices.At(*setting).workers;
    if (setting ? (!runs || *setting != state.setting) : runs) {
      const auto end = course.RunEnd(choices, observation.now);
      decision.jobs.push_back({job, setting, end, {Reason::Kind::kPlan, end}});
    }
  }
  return missing;
}

void RollingPolicy::OrderServices(const Observation& observation, std::vector<int>& missing, Decision& decision) const {
  slots_.OrderServices(observation, decision);
  for (const ServiceOrder& order : decision.services) {
    const Serving& now = observation.services[order.service].serving;
    missing[now.group] -= now.replicas;
    missing[order.serving.group] += order.serving.replicas;
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
