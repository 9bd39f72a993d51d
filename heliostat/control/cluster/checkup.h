#pragma once

#include <string>
#include <vector>

#include "heliostat/control/cluster/cluster.h"

namespace heliostat::cluster {

enum class Health { kOk, kNote, kProblem };

// One thing that an operator should know about a cluster.
struct Finding {
  std::string subject;  // "accounting"
  Health health = Health::kOk;
  std::string what;
  std::string fix;  // what to do about it; empty if nothing
};

// Judges how a cluster is configured, and what it shows: GPUs, accounts, rights, power saving, clocks, and the settings
// that matter to a mode that acts.
std::vector<Finding> Checkup(const ClusterFacts& facts, const ClusterSnapshot& snapshot);

}  // namespace heliostat::cluster
