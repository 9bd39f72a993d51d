#include "heliostat/control/policy/queue_policy.h"

#include <algorithm>
#include <limits>

namespace heliostat::policy {

std::int64_t QueuePolicy::KeyOf(const JobState& /*job*/) const { return 0; }

std::int64_t QueuePolicy::DeadlineOf(const JobState& job) {
  return job.asked.deadline ? job.asked.deadline->time_since_epoch().count() : std::numeric_limits<std::int64_t>::max();
}

std::optional<RunSetting> QueuePolicy::Retune(const Observation& /*observation*/, const JobState& /*job*/,
                                              const Choices& /*choices*/) {
  return std::nullopt;
}

void QueuePolicy::Decide(const Observation& observation, Decision& decision) {
  book_.Follow(observation);
  Take(observation);
  attendant_.Attend(observation, decision);
  free_.clear();
  for (const GroupState& group : observation.groups) free_.push_back(group.gpus_free());
  MakeRoom(observation, decision);
  StopFirst(observation, decision);
  LookForCrowd(observation);
  StartWhatFits(observation, decision);
  if (!Retunes() || !observation.slot_begins || !observation.capabilities.cap_power) return;
  for (const JobId job : running_) {
    const JobState* state = observation.jobs.Find(job);
    if (state == nullptr || state->phase != Phase::kRunning) continue;
    const auto setting = Retune(observation, *state, book_.Of(state->asked));
    if (setting && *setting != state->setting) {
      decision.jobs.push_back({job, setting, {}, {Reason::Kind::kSignal, observation.SlotNow().end}});
    }
  }
}

void QueuePolicy::Enqueue(const JobState& state, JobId job) {
  const Waiting waiting{KeyOf(state), job};
  const auto begin = queue_.begin() + static_cast<std::ptrdiff_t>(head_);
  queue_.insert(std::upper_bound(begin, queue_.end(), waiting), waiting);
}

void QueuePolicy::Take(const Observation& observation) {
  TakeBackUnstopped(observation);
  TakeBackUnstarted(observation);
  for (const JobId job : observation.arrived) {
    const JobState& state = observation.jobs[job];
    if (HoldsGpus(state.phase)) {
      running_.push_back(job);
    } else if (MayStart(state.phase) && !book_.Of(state.asked).groups().empty()) {
      Enqueue(state, job);
    }
  }
  for (const JobId job : observation.interrupted) {
    std::erase(running_, job);
    Enqueue(observation.jobs[job], job);
  }
  if (head_ > 1024 && head_ * 2 > queue_.size()) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  if (running_.size() >= 64 && !observation.ended.empty()) ForgetEnded(observation);
}

// Puts jobs back in the queue whose start had no effect. A pending start stays until its receipt shows the result.
void QueuePolicy::TakeBackUnstarted(const Observation& observation) {
  std::vector<JobId> pending;
  for (const JobId job : ordered_) {
    const JobState* state = observation.jobs.Find(job);
    if (state == nullptr || !MayStart(state->phase)) continue;
    const bool interrupted =
        std::find(observation.interrupted.begin(), observation.interrupted.end(), job) != observation.interrupted.end();
    if (interrupted) continue;  // it has run in between; Take() queues it again
    if (IsPending(observation, job)) {
      pending.push_back(job);
    } else {
      std::erase(running_, job);
      Enqueue(*state, job);
    }
  }
  ordered_ = std::move(pending);
}

// A job that still holds its GPUs after an order to stop is not waiting.
void QueuePolicy::TakeBackUnstopped(const Observation& observation) {
  for (const JobId job : stopped_) {
    const JobState* state = observation.jobs.Find(job);
    if (state == nullptr || !HoldsGpus(state->phase)) continue;
    const auto waits = std::find_if(queue_.begin() + static_cast<std::ptrdiff_t>(head_), queue_.end(),
                                    [job](const Waiting& waiting) { return waiting.job == job; });
    if (waits == queue_.end()) continue;  // started again in the meantime
    queue_.erase(waits);
    running_.push_back(job);
  }
  stopped_.clear();
}

// Removes jobs that have ended once the list exceeds about twice the GPUs in use.
void QueuePolicy::ForgetEnded(const Observation& observation) {
  std::size_t alive = 0;
  for (const GroupState& group : observation.groups) alive += static_cast<std::size_t>(group.gpus_in_use);
  if (running_.size() < 2 * alive + 64) return;
  std::erase_if(running_, [&](JobId job) {
    const JobState* state = observation.jobs.Find(job);
    return state == nullptr || !HoldsGpus(state->phase);
  });
}

// Requests cannot wait: where a service needs GPUs that jobs hold, the jobs that started last stop.
void QueuePolicy::MakeRoom(const Observation& observation, Decision& decision) {
  if (observation.services.empty()) return;
  for (std::size_t g = 0; g < free_.size(); ++g) {
    int serving = 0;
    for (const ServiceState& service : observation.services) {
      serving += service.serving.group == g ? service.serving.replicas : 0;
    }
    free_[g] -= attendant_.Wanted(g) - serving;
    for (std::size_t i = running_.size(); i-- > 0 && free_[g] < 0;) {
      const JobId job = running_[i];
      const JobState* state = observation.jobs.Find(job);
      if (state == nullptr || state->phase != Phase::kRunning) continue;
      if (state->setting.group != g || !observation.MayStop(*state)) continue;
      PutBack(observation, job, {Reason::Kind::kService}, decision);
    }
    free_[g] -= attendant_.Reserved(g);
  }
}

void QueuePolicy::PutBack(const Observation& observation, JobId job, Reason why, Decision& decision) {
  const JobState& state = observation.jobs[job];
  decision.jobs.push_back({job, std::nullopt, {}, why});
  free_[state.setting.group] += book_.Of(state.asked).At(state.setting).workers;
  std::erase(running_, job);
  stopped_.push_back(job);
  Enqueue(state, job);
}

void QueuePolicy::LookForCrowd(const Observation& observation) {
  int free = 0;
  for (const int gpus : free_) free += std::max(0, gpus);
  int wanted = 0;
  for (std::size_t i = head_; i < queue_.size() && wanted <= free; ++i) {
    const JobState* state = observation.jobs.Find(queue_[i].job);
    if (state != nullptr && MayStart(state->phase)) wanted += state->asked.max_workers;
  }
  is_crowded_ = wanted > free;
}

void QueuePolicy::StartWhatFits(const Observation& observation, Decision& decision) {
  std::vector<Waiting> kept;
  const bool blocks = Blocks();
  while (head_ < queue_.size()) {
    if (std::none_of(free_.begin(), free_.end(), [](int gpus) { return gpus > 0; })) break;
    const Waiting waiting = queue_[head_];
    const JobState* state = observation.jobs.Find(waiting.job);
    const bool gone = state == nullptr || IsOver(state->phase) || state->phase == Phase::kHeld;
    const bool started = !gone && Start(observation, waiting.job, *state, decision);
    if (!gone && !started && blocks) break;
    ++head_;
    if (!gone && !started) kept.push_back(waiting);
  }
  if (kept.empty()) return;
  head_ -= kept.size();
  std::copy(kept.begin(), kept.end(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
}

bool QueuePolicy::Start(const Observation& observation, JobId job, const JobState& state, Decision& decision) {
  const Choices& choices = book_.Of(state.asked);
  for (const RunSetting& way : WaysFor(observation, state, choices)) {
    if (state.home && *state.home != way.group) continue;
    const int workers = choices.At(way).workers;
    if (free_[way.group] < workers) continue;
    free_[way.group] -= workers;
    decision.jobs.push_back({job, way, {}, {Reason::Kind::kTurn}});
    Complete(observation, state, decision.jobs.back());
    running_.push_back(job);
    ordered_.push_back(job);
    return true;
  }
  return false;
}

}  // namespace heliostat::policy
