#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/choices.h"
#include "heliostat/control/policy/policy.h"
#include "heliostat/control/policy/service_scaler.h"

namespace heliostat::policy {

// Base of the policies that start jobs from a queue when GPUs are free and let them run to their end, as schedulers
// without a plan do. Derived policies override the questions below. A job has left the queue once it holds GPUs;
// the policy orders a start again that was refused or has expired. Not thread-safe.
class QueuePolicy : public Policy {
 public:
  void Decide(const Observation& observation, Decision& decision) override;

 protected:
  // The order of the queue: lower keys first, then lower ids. By default all keys are equal: first come, first served.
  virtual std::int64_t KeyOf(const JobState& job) const;
  // Whether a job that finds no free GPUs blocks the jobs behind it.
  virtual bool Blocks() const { return true; }
  // Settings to start the job with, best first. The policy takes the first whose group has enough free GPUs.
  virtual std::vector<RunSetting> WaysFor(const Observation& observation, const JobState& job,
                                          const Choices& choices) = 0;
  // The setting of a running job for this slot. Nothing means no change. Called only if Retunes(), when a slot begins,
  // in worlds that can cap power.
  virtual std::optional<RunSetting> Retune(const Observation& observation, const JobState& job, const Choices& choices);
  virtual bool Retunes() const { return false; }
  // Stops jobs before others start, by PutBack(). By default none.
  virtual void StopFirst(const Observation& /*observation*/, Decision& /*decision*/) {}
  // Adds to the order of a start what the policy knows beside the setting. By default nothing.
  virtual void Complete(const Observation& /*observation*/, const JobState& /*job*/, JobOrder& /*order*/) {}
  // Orders a running job to stop, and puts it back in the queue. For StopFirst().
  void PutBack(const Observation& observation, JobId job, Reason why, Decision& decision);
  // Whether the jobs in the queue need more GPUs than are free.
  bool IsCrowded() const { return is_crowded_; }
  // The key of earliest deadline first; jobs without a deadline come last.
  static std::int64_t DeadlineOf(const JobState& job);

 private:
  void LookForCrowd(const Observation& observation);
  void Take(const Observation& observation);
  void TakeBackUnstarted(const Observation& observation);
  void TakeBackUnstopped(const Observation& observation);
  void Enqueue(const JobState& state, JobId job);
  void ForgetEnded(const Observation& observation);
  void MakeRoom(const Observation& observation, Decision& decision);
  void StartWhatFits(const Observation& observation, Decision& decision);
  bool Start(const Observation& observation, JobId job, const JobState& state, Decision& decision);

  struct Waiting {
    std::int64_t key;
    JobId job;
    bool operator<(const Waiting& other) const { return key != other.key ? key < other.key : job < other.job; }
  };
  ChoiceTable book_;
  ServiceScaler attendant_;
  std::vector<Waiting> queue_;  // sorted, from head_ on
  std::size_t head_ = 0;
  std::vector<JobId> ordered_;  // jobs whose start is ordered and not yet observed
  std::vector<JobId> stopped_;  // jobs that the last call ordered to stop
  std::vector<JobId> running_;  // in order of their start; may include jobs that have ended
  std::vector<int> free_;       // [group]: free GPUs after the orders so far
  bool is_crowded_ = false;
};

}  // namespace heliostat::policy
