#pragma once

#include <vector>

namespace heliostat::plan {

// What it costs per slot to keep a node on without need, and to wake one that was off. All in one unit, of any kind.
struct NodeCosts {
  std::vector<double> idle;     // in addition to a sleeping node; negative where the price of energy is negative
  std::vector<double> wake_up;  // for a node that is on in this slot and was off in the one before
};

// The nodes of a group.
struct NodeCount {
  int all = 0;
  int up = 0;  // before the first slot
};

// How many of a group's nodes to keep on in each slot, at least those `needed`, for the least cost. Where both choices
// cost the same, the node sleeps. Where idling has a negative cost, it stays on. A negative cost of a wake-up counts as
// 0. All lists have one value per slot.
std::vector<int> KeepOn(const std::vector<int>& needed, const NodeCount& nodes, const NodeCosts& costs);

}  // namespace heliostat::plan
