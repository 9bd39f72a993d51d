#pragma once

#include <vector>

#include "heliostat/control/policy/observation.h"
#include "heliostat/control/sim/nodes.h"
#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// The nodes of all groups, and the record of when each was not up. Not safe for several threads.
class SimulatedNodes {
 public:
  // All are up when the scenario begins.
  explicit SimulatedNodes(const scenario::Scenario& scenario);

  std::size_t groups() const { return nodes_.size(); }
  Nodes& operator[](std::size_t group) { return nodes_[group]; }
  const Nodes& operator[](std::size_t group) const { return nodes_[group]; }

  // Whatever holds GPUs of a node that leaves kUp must have been released.
  void SetState(std::size_t group, int node, NodeState state, Instant now);
  // Time passes with nodes as they are.
  void Pass(Duration length);
  // A slot of `step` is over.
  void CloseSlot(Duration step);
  // As policies see them.
  const std::vector<policy::GroupState>& Count();
  // The record, until `now`: nodes_up and node_spans.
  void Finish(Instant now, SimulatedRun& run);

 private:
  void AddSpan(std::size_t group, int node, Instant now);

  std::vector<Nodes> nodes_;                  // [group]
  std::vector<std::vector<Instant>> since_;   // [group][node]: in its present state
  std::vector<double> up_seconds_;            // [group], of this slot
  std::vector<std::vector<float>> nodes_up_;  // [group][slot]
  std::vector<NodeSpan> spans_;
  std::vector<policy::GroupState> counted_;
};

}  // namespace heliostat::sim
