#pragma once

#include <vector>

#include "heliostat/planning/plan/plan.h"

namespace heliostat::plan {

// Where a plan's jobs run, and how many nodes that needs.
struct Placement {
  std::vector<Hold> holds;
  std::vector<std::vector<int>> nodes_needed;  // [group][slot]: nodes that hold at least one job or replica
  std::size_t spread_runs = 0;                 // runs on more nodes than they need
};

// Places every run on nodes. No job moves while it runs. It keeps the cost of the node-slots in use low:
// costs[group][slot] is that of one node, in any unit; costs below 0 count as 0. A run is on one node where it fits,
// and on whole nodes when it is larger. It is spread over more nodes only when there is no other way or when that saves
// a node. Replicas take the GPUs that are free, slot by slot. It needs no more nodes than the group has as long as GPUs
// in use never exceed those of the group. Deterministic.
Placement Place(const scenario::Scenario& scenario, const Plan& plan, const std::vector<std::vector<double>>& costs);
// The same with equal costs for all node-slots.
Placement Place(const scenario::Scenario& scenario, const Plan& plan);

}  // namespace heliostat::plan
