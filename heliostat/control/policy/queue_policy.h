#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/choices.h"
#include "heliostat/control/policy/policy.h"
#include "heliostat/control/policy/service_scaler.h"

namespace heliostat::policy {

// Starts jobs from a queue as GPUs come free and lets them run to their end: what schedulers without a plan do. How
// they differ is in four questions. A job leaves the queue for good when it is seen to hold GPUs: a start that was
// refused or has expired is ordered again.
class QueuePolicy : public Policy {
 public:
  void Decide(const Observation& observation, Decision& decision) override;

 protected:
  // Who comes first: lower keys do, then earlier jobs. First come, first served when nothing is said.
  virtual std::int64_t KeyOf(const JobState& job) const;
  // Whether a job that finds no room holds up those behind it.
  virtual bool Blocks() const { return true; }
  // Where the job would begin if it could, best first; nothing of a group without room is tried.
  virtual std::vector<RunSetting> WaysFor(const Observation& observation, const JobState& job,
                                          const Choices& choices) = 0;
  // A running job's setting for this slot: as it is when nothing is said.
  virtual std::optional<RunSetting> Retune(const Observation& observation, const JobState& job, const Choices& choices);
  virtual bool Retunes() const { return false; }

 private:
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
  std::vector<JobId> ordered_;  // whose start was ordered and not yet seen
  std::vector<JobId> stopped_;  // whose stop was ordered by the last call
  std::vector<JobId> running_;  // in order of their start, with some that have ended
  std::vector<int> free_;       // [group], as orders are given
};

}  // namespace heliostat::policy
