#pragma once

#include <vector>

namespace heliostat::plan {

// What it costs per slot to keep a node on without need, and to wake one that was off. All in one unit, of any kind.
struct NodeCosts {
  std::vector<double> idle;     // in addition to a sleeping node; negative where the price of energy is negative
  std::vector<double> wake_up;  // for a node that is on in this slot and was off in the one before
};

// How many of a group's `nodes` to keep on in each slot, at least those `needed`, for the least cost. Every node is on
// at the start, so the first slot wakes none. Where both choices cost the same, the node sleeps. Where idling has a
// negative cost, it stays on. A negative cost of a wake-up counts as 0. All lists have one value per slot.
std::vector<int> KeepOn(const std::vector<int>& needed, int nodes, const NodeCosts& costs);

}  // namespace heliostat::plan
