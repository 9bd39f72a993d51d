#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::policy {

// Identifies one job of a world, also across restarts of the policy. An id is never used for another job: where a
// scheduler reuses its numbers, ids are made of number and submit time. Later jobs have higher ids.
using JobId = std::uint64_t;

// Where and how a job trains: a group and a point.
struct RunSetting {
  std::size_t group = 0;
  std::size_t point = 0;  // index into training.Of(model, gpu of the group)
  friend bool operator==(const RunSetting&, const RunSetting&) = default;
};

// The phase of a job in the queue.
enum class Phase {
  kHeld,       // its owner or the operator has put it on hold
  kWaiting,    // may be started
  kStarting,   // its start is under way; it holds its GPUs
  kRunning,    //
  kSuspended,  // stopped for a while; may be started again where it was
  kStopping,   // its stop is under way; it still holds its GPUs
  kDone,       //
  kFailed,     // ended by itself, without success
  kCancelled,  // ended by its owner or the operator
};
constexpr bool IsOver(Phase phase) { return phase >= Phase::kDone; }
constexpr bool MayStart(Phase phase) { return phase == Phase::kWaiting || phase == Phase::kSuspended; }
constexpr bool HoldsGpus(Phase phase) {
  return phase == Phase::kStarting || phase == Phase::kRunning || phase == Phase::kStopping;
}

using scenario::NodeShare;

// A job as a policy sees it. Its samples are the user's estimate; the true number is known only when it is done. A job
// whose model was never measured has no model: its samples are seconds of running time with exactly `max_workers` GPUs.
struct JobState {
  scenario::Job asked;  // what its user submitted
  Phase phase = Phase::kWaiting;
  RunSetting setting;               // while it holds GPUs
  std::optional<std::size_t> home;  // the group in which it began: it stays there
  double samples_done = 0.0;        // until `since`
  double samples_per_s = 0.0;       // from `since` on
  Instant since;                    // while it runs: when resuming is over, or later
  std::vector<NodeShare> nodes;     // of its group, while it holds GPUs

  // Samples left at `now`, by the user's estimate. A job that has exceeded its estimate has 5 % of the estimate left; a
  // job that is over has 0.
  double SamplesLeft(Instant now) const;
  friend bool operator==(const JobState&, const JobState&) = default;
};

// Jobs by id, in ascending order of ids. A look-up is a binary search. Adding the highest id so far takes constant time
// on average; so does erasing, apart from its look-up. Not thread-safe.
class JobTable {
 public:
  class Iterator;

  // The id must not be in the table.
  JobState& Add(JobId id, JobState state);
  // Does nothing when the id is not in the table.
  void Erase(JobId id);
  // Null when the job is not in the table. Pointers are valid until the job is erased.
  const JobState* Find(JobId id) const;
  JobState* Find(JobId id);
  // The job must be in the table.
  const JobState& operator[](JobId id) const;
  JobState& operator[](JobId id);
  bool Contains(JobId id) const { return Find(id) != nullptr; }
  std::size_t size() const { return entries_.size() - erased_; }
  bool empty() const { return size() == 0; }

  Iterator begin() const;
  Iterator end() const;

 private:
  struct Entry {
    JobId id;
    std::unique_ptr<JobState> state;  // nothing: erased
  };
  std::size_t At(JobId id) const;  // the index, or that of the first higher id

  std::vector<Entry> entries_;
  std::size_t erased_ = 0;
};

// A forward iterator over (id, state). Add() and Erase() invalidate it. For the thread of its table.
class JobTable::Iterator {
 public:
  Iterator(const Entry* at, const Entry* end) : at_(at), end_(end) { SkipErased(); }
  std::pair<JobId, const JobState&> operator*() const { return {at_->id, *at_->state}; }
  Iterator& operator++() {
    ++at_;
    SkipErased();
    return *this;
  }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

 private:
  void SkipErased() {
    while (at_ != end_ && !at_->state) ++at_;
  }
  const Entry* at_;
  const Entry* end_;
};

inline JobTable::Iterator JobTable::begin() const { return {entries_.data(), entries_.data() + entries_.size()}; }
inline JobTable::Iterator JobTable::end() const {
  return {entries_.data() + entries_.size(), entries_.data() + entries_.size()};
}

}  // namespace heliostat::policy
