#include "heliostat/policy/queue_policy.h"

#include <algorithm>

namespace heliostat::policy {

std::int64_t QueuePolicy::KeyOf(const JobState& /*job*/) const { return 0; }

std::optional<Setting> QueuePolicy::Retune(const Observation& /*observation*/, const JobState& /*job*/,
                                           const Choices& /*choices*/) {
  return std::nullopt;
}

void QueuePolicy::Decide(const Observation& observation, Decision& decision) {
  if (!book_) book_.emplace(observation.site);
  if (!attendant_) attendant_.emplace(observation.site);
  Take(observation);
  attendant_->Attend(observation, decision);
  free_.clear();
  for (const GroupState& group : observation.groups) free_.push_back(group.gpus_free());
  MakeRoom(observation, decision);
  StartWhatFits(observation, decision);
  if (!Retunes() || !observation.slot_begins) return;
  for (const JobId job : running_) {
    const JobState& state = observation.jobs[job];
    if (state.phase != JobState::Phase::kRunning) continue;
    const auto setting = Retune(observation, state, book_->Of(state.asked));
    if (setting && *setting != state.setting) decision.jobs.push_back({job, setting});
  }
}

void QueuePolicy::Take(const Observation& observation) {
  const auto add = [&](JobId job) {
    const Waiting waiting{KeyOf(observation.jobs[job]), job};
    const auto begin = queue_.begin() + static_cast<std::ptrdiff_t>(head_);
    queue_.insert(std::upper_bound(begin, queue_.end(), waiting), waiting);
  };
  for (const JobId job : observation.arrived) add(job);
  for (const JobId job : observation.interrupted) add(job);
  if (head_ > 1024 && head_ * 2 > queue_.size()) {
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  if (running_.size() < 64 || observation.ended.empty()) return;
  // Now and then those that have ended are forgotten, so that the list stays as long as twice the cluster.
  std::size_t alive = 0;
  for (const GroupState& group : observation.groups) alive += static_cast<std::size_t>(group.gpus_in_use);
  if (running_.size() < 2 * alive + 64) return;
  running_.erase(std::remove_if(running_.begin(), running_.end(),
                                [&](JobId job) { return observation.jobs[job].phase != JobState::Phase::kRunning; }),
                 running_.end());
}

// Requests do not wait: where a service needs GPUs that jobs hold, the latest to start stop.
void QueuePolicy::MakeRoom(const Observation& observation, Decision& decision) {
  if (observation.services.empty()) return;
  for (std::size_t g = 0; g < free_.size(); ++g) {
    int serving = 0;
    for (const ServiceState& service : observation.services) {
      serving += service.serving.group == g ? service.serving.replicas : 0;
    }
    free_[g] -= attendant_->Wanted(g) - serving;
    for (std::size_t i = running_.size(); i-- > 0 && free_[g] < 0;) {
      const JobId job = running_[i];
      const JobState& state = observation.jobs[job];
      if (state.phase != JobState::Phase::kRunning || state.setting.group != g || !state.asked.preemptible) continue;
      decision.jobs.push_back({job, std::nullopt});
      free_[g] += book_->Of(state.asked).At(state.setting).workers;
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      const Waiting waiting{KeyOf(state), job};
      const auto begin = queue_.begin() + static_cast<std::ptrdiff_t>(head_);
      queue_.insert(std::upper_bound(begin, queue_.end(), waiting), waiting);
    }
    free_[g] -= attendant_->Reserved(g);
  }
}

void QueuePolicy::StartWhatFits(const Observation& observation, Decision& decision) {
  std::vector<Waiting> kept;
  const bool blocks = Blocks();
  while (head_ < queue_.size()) {
    if (std::none_of(free_.begin(), free_.end(), [](int gpus) { return gpus > 0; })) break;
    const Waiting waiting = queue_[head_];
    const JobState& state = observation.jobs[waiting.job];
    const Choices& choices = book_->Of(state.asked);
    bool started = false;
    for (const Setting& way : WaysFor(observation, state, choices)) {
      if (state.home && *state.home != way.group) continue;
      const int workers = choices.At(way).workers;
      if (free_[way.group] < workers) continue;
      free_[way.group] -= workers;
      decision.jobs.push_back({waiting.job, way});
      running_.push_back(waiting.job);
      started = true;
      break;
    }
    if (!started && blocks) break;
    ++head_;
    if (!started) kept.push_back(waiting);
  }
  if (kept.empty()) return;
  head_ -= kept.size();
  std::copy(kept.begin(), kept.end(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
}

}  // namespace heliostat::policy
