#pragma once

#include <vector>

#include "heliostat/planning/plan/plan.h"

namespace heliostat::plan {

// GPUs of one node that a job holds through one of its runs: adjoining segments with the same number of workers.
struct Hold {
  std::size_t job = 0;
  Interval span;
  std::size_t group = 0;
  int node = 0;  // counted from 0 inside the group
  int gpus = 0;
};

struct Placement {
  std::vector<Hold> holds;
  std::vector<std::vector<int>> nodes_needed;  // [group][slot]: nodes that hold at least one job or replica
  std::size_t spread_runs = 0;                 // runs on more nodes than they would fill
};

// Places every run on nodes so that no job moves while it runs, and so that the node-slots that are needed cost little:
// costs[group][slot] of one node, in any one unit; what is below zero counts as nothing. A run sits on one node where
// it fits, on whole nodes when it is larger, and is spread only when there is no other way or when that saves a node.
// Replicas fill what is free, slot by slot. Needs no more nodes than the group has whenever GPUs in use never exceed
// the group's; which nodes are on in a slot are those that hold something. Equal plans are placed equally.
Placement Place(const scenario::Scenario& scenario, const Plan& plan, const std::vector<std::vector<double>>& costs);
// All node-slots cost the same.
Placement Place(const scenario::Scenario& scenario, const Plan& plan);

}  // namespace heliostat::plan
