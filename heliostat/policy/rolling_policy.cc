#include "heliostat/policy/rolling_policy.h"

#include <algorithm>

namespace heliostat::policy {
namespace {

using namespace std::chrono_literals;

// Kept before a deadline, at most.
constexpr Seconds kMargin = 10min;
constexpr double kMarginShare = 0.25;  // of the time that can be spared
// Added to the shortest time of a job that cannot be on time: seconds are whole.
constexpr Seconds kSoon = 30s;
constexpr Duration kLeastRelief = 5min;
constexpr int kMostTries = 12;
constexpr double kCareful = 1e-3;     // the first plan, which others begin from
constexpr double kGoodEnough = 0.01;  // of what is planned, much will have changed before it is done
constexpr double kNoLimit = 1e6;      // seconds; only rounds end a search, so that equal input gives equal plans

}  // namespace

plan::Outcome RollingPolicy::Solve(const scenario::Scenario& ahead, const plan::Weights& weights) {
  plan::Limits limits;
  limits.right_sizing = right_sizing_;
  const plan::Problem problem{ahead, weights, limits};
  const bool warm = memory_.content != nullptr;
  const plan::Effort effort{Seconds{kNoLimit}, warm ? kGoodEnough : kCareful, false};
  plan::Outcome outcome = price::Solve(problem, effort, &memory_);
  if (outcome.has_plan() || !warm) return outcome;
  // What the last plan knew can lead astray: from the beginning, then.
  memory_ = {};
  return price::Solve(problem, {Seconds{kNoLimit}, kCareful, false}, &memory_);
}

void RollingPolicy::Decide(const Observation& observation, Decision& decision) {
  book_.Follow(observation);
  Note(observation);
  if (observation.slot_begins) reserve_.Learn(observation.services, observation.outlook);
  const PlanStanding standing{due_.size(), HasRunOut(observation), LeastSlack(observation)};
  if (trigger_.IsDue(observation, standing)) Plan(observation);
  CarryOut(observation, decision);
}

std::optional<Seconds> RollingPolicy::LeastSlack(const Observation& observation) {
  std::optional<Seconds> tightest;
  for (const JobId job : observation.arrived) {
    if (!due_.contains(job)) continue;
    const JobState& state = observation.jobs[job];
    const Choices& choices = book_.Of(state.asked);
    const Seconds least = choices.Shortest(state.asked.samples) + Seconds(state.asked.resume);
    const Instant start = EarliestStart(observation, choices, state, right_sizing_);
    const Seconds slack = Seconds(due_[job].by - start) - least;
    tightest = std::min(slack, tightest.value_or(slack));
  }
  return tightest;
}

void RollingPolicy::Note(const Observation& observation) {
  for (const JobId job : observation.ended) {
    due_.erase(job);
    courses_.Forget(job);
  }
  std::erase_if(due_, [&](const auto& due) {
    const JobState* state = observation.jobs.Find(due.first);
    if (state != nullptr && state->phase != Phase::kHeld) return false;
    courses_.Forget(due.first);
    return true;
  });
  for (const JobId job : observation.arrived) Enter(observation, job);
  if (!observation.interrupted.empty() || slots_.LacksNodes(observation)) trigger_.TakeNews();
}

void RollingPolicy::Enter(const Observation& observation, JobId job) {
  const JobState& state = observation.jobs[job];
  const Choices& choices = book_.Of(state.asked);
  if (choices.groups().empty() || state.phase == Phase::kHeld || IsOver(state.phase)) return;
  const Seconds least = choices.Shortest(state.asked.samples) + Seconds(state.asked.resume);
  // From its coming on, so that a policy that was restarted gives it the same time.
  const Instant came = std::max(state.asked.submit, observation.site->start);
  Aim& aim = due_[job];
  aim.by = state.asked.deadline.value_or(came + patience_ + std::chrono::ceil<Duration>(least));
  const Seconds spare = std::max(Seconds{0}, Seconds(aim.by - came) - least);
  aim.early = aim.by - std::chrono::floor<Duration>(std::min(kMargin, spare * kMarginShare));
  if (!courses_.TakeUp(job, state.asked.id)) trigger_.TakeNews();
}

bool RollingPolicy::HasRunOut(const Observation& observation) const {
  if (!slots_.Covers(observation.slot)) return true;
  return std::any_of(due_.begin(), due_.end(),
                     [&](const auto& item) { return courses_.HasRunOut(item.first, observation.now); });
}

std::vector<Due> RollingPolicy::DuesOf(const Observation& observation) {
  std::vector<Due> dues;
  for (const auto& [job, due] : due_) {
    const JobState& state = observation.jobs[job];
    const Choices& choices = book_.Of(state.asked);
    const double left = state.SamplesLeft(observation.now);
    Seconds shortest = state.home ? choices.Shortest(left, *state.home) : choices.Shortest(left);
    if (means_ == Means::kDefault) {
      const std::size_t group = state.home ? *state.home : choices.groups().front();
      shortest = Seconds{left / choices.At(*choices.Default(group)).samples_per_s};
    }
    const Seconds wait(EarliestStart(observation, choices, state, right_sizing_) - observation.now);
    const Seconds least = wait + shortest + Seconds(state.asked.resume);
    // As early as was meant when it came, so that a node that wakes late does no harm; if that is no longer to be had,
    // by its deadline; and if that is not either, as soon as it can be.
    Seconds window = least * 1.01 + kSoon;
    for (const Instant aim : {due.by, due.early}) {
      const Seconds there = Seconds(std::min(aim, observation.horizon) - observation.now);
      if (there >= least) window = there;
    }
    const Instant by = observation.now + std::chrono::ceil<Duration>(window);
    dues.push_back({job, nullptr, std::min(by, observation.horizon), {}});
    if (const Course* course = courses_.Find(job)) dues.back().ends = course->End();
  }
  AddExpected(observation, dues);
  return dues;
}

void RollingPolicy::AddExpected(const Observation& observation, std::vector<Due>& dues) {
  for (const scenario::Job* job : observation.outlook.Ahead().jobs) {
    if (job->submit <= observation.now) continue;
    const Choices& choices = book_.Of(*job);
    const Seconds least = choices.Shortest(job->samples) + Seconds(job->resume) + kSoon;
    const Instant first = job->submit + std::chrono::ceil<Duration>(least * 1.01);
    Instant by = job->deadline ? *job->deadline : first + patience_;
    const auto spare = std::chrono::floor<Duration>(std::min(kMargin, Seconds(by - first) * kMarginShare));
    by = by > first ? by - spare : first;
    if (by <= observation.horizon) dues.push_back({0, job, by, {}});
  }
}

void RollingPolicy::Plan(const Observation& observation) {
  trigger_.Reset(observation);
  std::vector<Due> dues = DuesOf(observation);
  for (int i = 0; i < kMostTries; ++i) {
    const Lookahead lookahead(observation, book_, dues, {means_, performance_, reserve_.shares(), right_sizing_});
    const plan::Outcome outcome = MakePlan(observation, lookahead.scenario());
    if (outcome.has_plan()) {
      courses_.Adopt(observation, book_, dues, lookahead.CoursesOf(outcome.plan()));
      slots_.Adopt(observation, lookahead, outcome.plan());
      return;
    }
    if (!Relax(observation, lookahead, outcome, dues)) break;
  }
  RunByDeadline(observation);
  slots_.KeepAllOn(observation);
}

// When not all deadlines can be kept, a plan in which some jobs are late is better than none: those that found no place
// get a little more time, and more with every try. False when nobody knows who they are.
bool RollingPolicy::Relax(const Observation& observation, const Lookahead& lookahead, const plan::Outcome& outcome,
                          std::vector<Due>& dues) {
  bool relaxed = false;
  for (const std::size_t unplaced : outcome.unplaced) {
    Due& due = dues[lookahead.DueOf(unplaced)];
    const Instant from = due.expected != nullptr ? due.expected->submit : observation.now;
    const Duration more = std::max<Duration>(kLeastRelief, (due.by - from) / 4);
    const Instant by = std::min(due.by + more, observation.horizon);
    relaxed = relaxed || by > due.by;
    due.by = by;
  }
  return relaxed;
}

void RollingPolicy::RunByDeadline(const Observation& observation) {
  std::vector<std::pair<Instant, JobId>> order;
  for (const auto& [job, due] : due_) order.emplace_back(due.by, job);
  std::sort(order.begin(), order.end());
  std::vector<JobId> jobs;
  for (const auto& item : order) jobs.push_back(item.second);
  courses_.RunInOrder(observation, book_, jobs);
}

void RollingPolicy::CarryOut(const Observation& observation, Decision& decision) {
  std::vector<int> missing(observation.groups.size(), 0);
  for (const auto& [job, course] : courses_.courses()) {
    const JobState& state = observation.jobs[job];
    if (IsOver(state.phase) || state.phase == Phase::kStarting || state.phase == Phase::kStopping) continue;
    const bool runs = state.phase == Phase::kRunning;
    auto setting = course.At(observation.now);
    // Where the plan has nothing more to say of a job that is not done, it goes on as it is until there is another.
    if (!setting && runs && (course.fixed || course.IsOver(observation.now))) setting = state.setting;
    const int has = runs ? book_.Of(state.asked).At(state.setting).workers : 0;
    if (runs) missing[state.setting.group] -= has;
    if (setting) missing[setting->group] += book_.Of(state.asked).At(*setting).workers;
    if (setting ? (!runs || *setting != state.setting) : runs) {
      const auto end = course.RunEnd(book_.Of(state.asked), observation.now);
      decision.jobs.push_back({job, setting, end, {Reason::Kind::kPlan, end}});
    }
  }
  slots_.OrderServices(observation, decision);
  for (const ServiceOrder& order : decision.services) {
    const Serving& now = observation.services[order.service].serving;
    missing[now.group] -= now.replicas;
    missing[order.serving.group] += order.serving.replicas;
  }
  if (right_sizing_ && observation.capabilities.sleep_nodes) {
    decision.nodes_on = slots_.NodesOn(observation, missing);
  }
  const Instant next = NextChange(observation);
  if (next > observation.now && next < observation.horizon) decision.call_again = next;
}

Instant RollingPolicy::NextChange(const Observation& observation) const {
  const Instant now = observation.now;
  Instant next = observation.horizon;
  const auto consider = [&](std::optional<Instant> when) {
    if (when && *when > now) next = std::min(next, *when);
  };
  consider(trigger_.deferred_until());
  if (right_sizing_) consider(slots_.NextWake(observation));
  consider(courses_.NextChange(now));
  return next;
}

}  // namespace heliostat::policy
