#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/control/cluster/gpus.h"

namespace heliostat::cluster {

enum class NodeState {
  kIdle,
  kMixed,         // jobs have a part of it
  kAllocated,     // jobs have all of it
  kDown,          // off or broken, not by plan
  kPoweringDown,  // takes no jobs any more, falls asleep
  kAsleep,        // off by power saving; a job that waits may wake it
  kWaking,
  kUnknown,
};
std::string_view NameOf(NodeState state);

// One node. The booleans hold beside any state: a node may be drained and asleep.
struct ClusterNode {
  std::string name;
  NodeState state = NodeState::kUnknown;
  bool is_draining = false;  // takes no new jobs, by an operator's word
  bool is_reserved = false;
  bool is_in_maintenance = false;
  bool is_responding = true;
  std::string reason;  // the operator's, for draining and down; empty: none

  GpusByType gpus;
  GpusByType gpus_in_use;
  int cpus = 0;
  int cpus_in_use = 0;
  std::vector<std::string> partitions;
  std::vector<std::string> features;

  friend bool operator==(const ClusterNode&, const ClusterNode&) = default;
};

}  // namespace heliostat::cluster
