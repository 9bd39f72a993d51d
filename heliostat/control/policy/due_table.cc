#include "heliostat/control/policy/due_table.h"

#include <algorithm>

namespace heliostat::policy {
namespace {

using namespace std::chrono_literals;

// Margin before a deadline: this time, but at most this share of the spare time.
constexpr Seconds kMargin = 10min;
constexpr double kMarginShare = 0.25;
// In addition, time for several plans: the one under way when something happens, the next one, which includes the
// event, and one more for events in the meantime.
constexpr int kPlansToReact = 3;
// In addition, time for several orders: one that is refused, one that is delayed, and one after that.
constexpr int kOrdersToMove = 3;
// Extra time for a job that gets only its shortest time, because seconds are whole and plans are not exact.
constexpr double kShortestTimes = 1.01;
constexpr Seconds kSoon = 30s;

Seconds TimeToReact(const Observation& observation) {
  return Seconds(kPlansToReact * observation.planning_time) +
         Seconds(kOrdersToMove * observation.capabilities.order_delay);
}

// None where nothing can make a job late but the plan itself.
Seconds Margin(const Observation& observation) { return observation.outlook.Ahead().is_certain ? Seconds{0} : kMargin; }

}  // namespace

bool DueTable::Enter(const Observation& observation, ChoiceTable& book, JobId job) {
  const JobState& state = observation.jobs[job];
  const Choices& choices = book.Of(state.asked);
  if (choices.groups().empty() || state.phase == Phase::kHeld || IsOver(state.phase)) return false;
  const Seconds least = choices.Shortest(state.asked.samples) + Seconds(state.asked.resume);
  // Counted from the arrival, so that a restarted policy computes the same time.
  const Instant came = std::max(state.asked.submit, observation.site->start);
  Aim& aim = aims_[job];
  aim.by = state.asked.deadline.value_or(came + patience_ + std::chrono::ceil<Duration>(least));
  const Seconds spare = std::max(Seconds{0}, Seconds(aim.by - came) - least);
  const auto before = [&](Seconds margin) {
    return aim.by - std::chrono::floor<Duration>(std::min(margin, spare * kMarginShare));
  };
  aim.latest = before(TimeToReact(observation));
  aim.early = before(Margin(observation) + TimeToReact(observation));
  return true;
}

std::vector<JobId> DueTable::Forget(const Observation& observation) {
  std::vector<JobId> forgotten;
  for (const JobId job : observation.ended) {
    if (aims_.erase(job) > 0) forgotten.push_back(job);
  }
  std::erase_if(aims_, [&](const auto& item) {
    const JobState* state = observation.jobs.Find(item.first);
    if (state != nullptr && state->phase != Phase::kHeld) return false;
    forgotten.push_back(item.first);
    return true;
  });
  return forgotten;
}

Due DueTable::DueOf(const Observation& observation, ChoiceTable& book, JobId job, const Aim& aim) const {
  const JobState& state = observation.jobs[job];
  const Choices& choices = book.Of(state.asked);
  const double left = state.SamplesLeft(observation.decide_by());
  Seconds shortest = state.home ? choices.Shortest(left, *state.home) : choices.Shortest(left);
  if (means_ == Means::kDefault) {
    const std::size_t group = state.home ? *state.home : choices.groups().front();
    shortest = Seconds{left / choices.At(*choices.Default(group)).samples_per_s};
  }
  const Seconds wait(EarliestStart(observation, choices, state, nodes_sleep_) - observation.now);
  const Seconds resume = HoldsGpus(state.phase) ? Seconds(state.since - observation.decide_by()) : state.asked.resume;
  const Seconds least = wait + shortest + std::max(Seconds{0}, resume);
  // A job that can no longer keep the early aim keeps as much of the margin as it can.
  const Instant soonest = observation.now + std::chrono::ceil<Duration>(least * kShortestTimes + kSoon);
  Instant by = std::max(aim.early, soonest);
  if (by > aim.latest && observation.now + std::chrono::ceil<Duration>(least) <= aim.latest) by = aim.latest;
  return {job, nullptr, std::min(by, observation.horizon)};
}

std::vector<Due> DueTable::Dues(const Observation& observation, ChoiceTable& book) const {
  std::vector<Due> dues;
  for (const auto& [job, aim] : aims_) {
    dues.push_back(DueOf(observation, book, job, aim));
  }
  AddExpected(observation, book, dues);
  return dues;
}

void DueTable::AddExpected(const Observation& observation, ChoiceTable& book, std::vector<Due>& dues) const {
  for (const scenario::Job* job : observation.outlook.Ahead().jobs) {
    if (job->submit <= observation.now) continue;
    const Choices& choices = book.Of(*job);
    const Seconds least = choices.Shortest(job->samples) + Seconds(job->resume);
    const Instant first = job->submit + std::chrono::ceil<Duration>((least + kSoon) * kShortestTimes);
    Instant by = job->deadline ? *job->deadline : first + patience_;
    if (by > first) {
      const Seconds spare = Seconds(by - first) * kMarginShare;
      by -= std::chrono::floor<Duration>(std::min(Margin(observation) + TimeToReact(observation), spare));
    } else if (job->submit + std::chrono::ceil<Duration>(least) > by) {
      by = first;  // late in any case
    }
    if (std::min(by, first) <= observation.horizon) dues.push_back({0, job, std::min(by, observation.horizon)});
  }
}

std::optional<Seconds> DueTable::LeastSlack(const Observation& observation, ChoiceTable& book) const {
  std::optional<Seconds> least;
  for (const JobId job : observation.arrived) {
    const auto aim = aims_.find(job);
    if (aim == aims_.end()) continue;
    const Seconds slack = SlackOf(observation, book, job, aim->second);
    least = std::min(slack, least.value_or(slack));
  }
  return least;
}

Seconds DueTable::SlackOf(const Observation& observation, ChoiceTable& book, JobId job, const Aim& aim) const {
  const JobState& state = observation.jobs[job];
  const Choices& choices = book.Of(state.asked);
  const Seconds shortest = choices.Shortest(state.asked.samples) + Seconds(state.asked.resume);
  return Seconds(aim.by - EarliestStart(observation, choices, state, nodes_sleep_)) - shortest;
}

std::vector<JobId> DueTable::CannotAwaitPlan(const Observation& observation, ChoiceTable& book) const {
  std::vector<JobId> jobs;
  for (const JobId job : observation.arrived) {
    const auto aim = aims_.find(job);
    if (aim == aims_.end() || !MayStart(observation.jobs[job].phase)) continue;
    // Another plan may be under way, which has to arrive first.
    if (SlackOf(observation, book, job, aim->second) < Seconds(observation.planning_time)) jobs.push_back(job);
  }
  return jobs;
}

std::vector<JobId> DueTable::InOrder() const {
  std::vector<std::pair<Instant, JobId>> order;
  for (const auto& [job, aim] : aims_) order.emplace_back(aim.by, job);
  std::sort(order.begin(), order.end());
  std::vector<JobId> jobs;
  jobs.reserve(order.size());
  for (const auto& item : order) jobs.push_back(item.second);
  return jobs;
}

bool DueTable::AnyRunsOut(const CourseTable& courses, Instant now) const {
  return std::any_of(aims_.begin(), aims_.end(), [&](const auto& item) { return courses.HasRunOut(item.first, now); });
}

}  // namespace heliostat::policy
