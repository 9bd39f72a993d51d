#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/time.h"

namespace heliostat::cluster {

enum class Accounting {
  kNone,      // the cluster forgets jobs minutes after their end
  kDatabase,  // History() answers
  kOther,     // records of a kind that is not read
};

// Power saving as the cluster is configured for it. Absent times: never.
struct PowerSaving {
  std::string suspend_program;        // empty: none
  std::string resume_program;         // empty: none
  std::optional<Duration> idle_time;  // after which a node falls asleep by itself
  Duration suspend_timeout{};         // from the order to sleep until a node counts as asleep
  Duration resume_timeout{};          // for waking; longer counts as a failure
  std::vector<std::string> excluded_nodes;
  std::vector<std::string> excluded_partitions;

  // Nodes can be put to sleep and woken. Without a time for idling the cluster has no power saving at all.
  bool is_on() const { return !suspend_program.empty() && !resume_program.empty() && idle_time.has_value(); }
  friend bool operator==(const PowerSaving&, const PowerSaving&) = default;
};

// How a cluster is configured, as far as it matters here. Lists are as configured, in order. Read once and after a
// restart of the cluster; nothing here changes while it runs.
struct ClusterFacts {
  std::string kind;     // "slurm"
  std::string version;  // "22.05.8"
  std::string name;
  std::string controller;  // host of the primary controller

  Accounting accounting = Accounting::kNone;
  bool accounts_gpus = false;   // accounts and queue say which GPUs a job has
  bool keeps_comments = false;  // accounts keep the comment of a job

  PowerSaving power_saving;
  std::string priority_type;
  std::vector<std::string> priority_flags;
  std::string scheduler_type;
  std::vector<std::string> scheduler_parameters;
  std::string preempt_type;
  std::string preempt_mode;
  std::vector<std::string> private_data;  // empty: everybody sees everything
  bool requeues_by_default = true;
  Duration credential_life{};  // a requeued job starts again only after it
  Duration message_timeout{};  // how long the cluster's own commands wait for an answer
  Duration memory_of_ended{};  // how long an ended job stays in the queue

  friend bool operator==(const ClusterFacts&, const ClusterFacts&) = default;
};

}  // namespace heliostat::cluster
