#pragma once

#include <vector>

namespace heliostat::plan {

// What it costs, slot by slot and in any one unit, to have a node on that nothing needs, and to wake one that was off.
struct NodeCosts {
  std::vector<double> idle;     // beyond what the node draws asleep; negative where energy is paid for
  std::vector<double> wake_up;  // for a node that is on in this slot and was off in the one before
};

// How many of a group's `nodes` to have on in each slot, at least those needed, at the least cost. Every node is on at
// the start, so the first slot wakes none. Where two ways cost the same the node sleeps; where idling earns, it stays
// on. A wake-up is never sought for its own sake: one that would earn is taken as free.
std::vector<int> KeepOn(const std::vector<int>& needed, int nodes, const NodeCosts& costs);

}  // namespace heliostat::plan
