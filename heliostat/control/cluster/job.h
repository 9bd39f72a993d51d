#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/control/cluster/gpus.h"

namespace heliostat::cluster {

// What identifies a job. A number alone does not: a controller that crashed gives the numbers of its last seconds
// again. The elements of an array share a number until they start, so the index of the element belongs to it.
//
// A requeued job has a new submit time and so a new key, with the same number and `ClusterJob::restarts` increased.
struct JobKey {
  std::int64_t number = 0;     // of an element: that of the array
  std::optional<int> element;  // the index in an array
  Instant submit;

  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};
// "17", "17_3": as users name the job.
std::string NumberText(const JobKey& key);

enum class JobState {
  kWaiting,
  kHeld,      // waits until its user or an operator releases it
  kStarting,  // has its nodes, which are not ready
  kRunning,
  kSuspended,   // has its GPUs, its processes are stopped
  kCompleting,  // its processes end, or its nodes are cleaned up
  kEnded,
  kUnknown,  // a state of a later release: leave the job alone
};
std::string_view NameOf(JobState state);

enum class JobEnd { kCompleted, kFailed, kCancelled, kTimeLimit, kNodeFailure, kPreempted, kRequeued, kOther };
std::string_view NameOf(JobEnd end);

// One job in the queue or in the accounts: an array element or a component of a heterogeneous job each counts as one.
struct ClusterJob {
  JobKey key;
  std::int64_t run_number =
      0;  // what commands and accounts of the cluster call this run; equals key.number but in arrays
  std::optional<std::int64_t> het_leader;  // the number of the first component of a heterogeneous job
  int restarts = 0;                        // how often it was requeued

  std::string user;
  std::string account;
  std::string name;
  std::vector<std::string> partitions;  // several while it waits: it may go to any of them
  std::string reservation;              // empty: none
  std::string comment;                  // of the user; empty: none
  std::string admin_comment;            // of operators and of Heliostat; empty: none

  JobState state = JobState::kUnknown;
  std::optional<JobEnd> end_kind;         // of an ended job
  std::string reason;                     // why it waits, in the cluster's word: "Resources", "JobHeldUser"
  std::vector<std::string> dependencies;  // "afterok:17": what it waits for, as far as not fulfilled

  std::optional<Instant> eligible;     // may start from then on; absent while held or dependent
  std::optional<Instant> start;        // of a waiting job: when the cluster expects it to start
  std::optional<Instant> end;          // of an ended job
  std::optional<Duration> run_time;    // since its start, without the time for which it was suspended
  std::optional<Instant> kill_at;      // the cluster ends or cancels it then, by the user's own wish (`--deadline`)
  std::optional<Duration> time_limit;  // absent: unlimited

  int node_count = 0;
  int cpus = 0;
  std::vector<std::string> nodes;  // where it runs or ran
  GpusByType gpus_requested;
  GpusByType gpus_allocated;    // empty while it waits
  bool is_exclusive = false;    // has its nodes alone
  bool is_interactive = false;  // a person waits for it: srun or salloc, not a script
  bool may_requeue = false;
  std::int64_t priority = 0;
  int nice = 0;

  bool is_array_element() const { return key.element.has_value(); }
  bool is_heterogeneous() const { return het_leader.has_value(); }
  friend bool operator==(const ClusterJob&, const ClusterJob&) = default;
};

}  // namespace heliostat::cluster
