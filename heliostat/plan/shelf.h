#pragma once

#include <optional>
#include <vector>

#include "heliostat/plan/placement.h"

namespace heliostat::plan {

inline constexpr std::size_t kReplicas = static_cast<std::size_t>(-1);

// GPUs that are wanted from one instant to another: a run of a job, or all replicas of a slot together.
struct Wish {
  std::size_t job = kReplicas;
  Interval span;
  int gpus = 0;
};

struct Packed {
  std::vector<Hold> holds;
  std::vector<int> nodes_needed;  // [slot]
};

// Places a group's runs longest first, each on the node on which it adds the fewest slots that the node must be on in:
// what is known to keep the time that nodes are on short. Nothing when some run finds no node that is free for
// all of its time.
std::optional<Packed> PackByLength(const scenario::Scenario& scenario, std::size_t group,
                                   const std::vector<Wish>& wishes);

}  // namespace heliostat::plan
