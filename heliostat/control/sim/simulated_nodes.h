#pragma once

#include <vector>

#include "heliostat/control/policy/observation.h"
#include "heliostat/control/sim/group_nodes.h"
#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// The nodes of all groups, and a record of when each was not up. Not thread-safe.
class SimulatedNodes {
 public:
  // All nodes are up at the start of the scenario.
  explicit SimulatedNodes(const scenario::Scenario& scenario);

  std::size_t groups() const { return nodes_.size(); }
  GroupNodes& operator[](std::size_t group) { return nodes_[group]; }
  const GroupNodes& operator[](std::size_t group) const { return nodes_[group]; }

  // All holds of a node must be released before it leaves kUp.
  void SetState(std::size_t group, int node, NodeState state, Instant now);
  // Accounts for a time in which no node changes its state.
  void Pass(Duration length);
  // Ends a slot of length `step`.
  void CloseSlot(Duration step);
  // The state of each group as policies see it. Valid until the next call.
  const std::vector<policy::GroupState>& Count();
  // Moves the record up to `now` into `run`: nodes_up and node_spans.
  void Finish(Instant now, SimulatedRun& run);

 private:
  void AddSpan(std::size_t group, int node, Instant now);

  std::vector<GroupNodes> nodes_;             // [group]
  std::vector<std::vector<Instant>> since_;   // [group][node]: when its present state began
  std::vector<double> up_seconds_;            // [group], of this slot
  std::vector<std::vector<float>> nodes_up_;  // [group][slot]
  std::vector<NodeSpan> spans_;
  std::vector<policy::GroupState> counted_;
};

}  // namespace heliostat::sim
