#include "heliostat/control/sim/simulated_nodes.h"

#include <utility>

namespace heliostat::sim {

SimulatedNodes::SimulatedNodes(const scenario::Scenario& scenario)
    : up_seconds_(scenario.groups.size(), 0.0), nodes_up_(scenario.groups.size()), counted_(scenario.groups.size()) {
  for (const scenario::Group& group : scenario.groups) {
    nodes_.emplace_back(group);
    since_.emplace_back(static_cast<std::size_t>(group.nodes), scenario.start);
    counted_[nodes_.size() - 1].each.assign(static_cast<std::size_t>(group.nodes), NodeState::kUp);
  }
}

void SimulatedNodes::AddSpan(std::size_t group, int node, Instant now) {
  const NodeState state = nodes_[group].state(node);
  const Instant since = since_[group][static_cast<std::size_t>(node)];
  if (state != NodeState::kUp && now > since) spans_.push_back({group, node, state, {since, now}});
}

void SimulatedNodes::SetState(std::size_t group, int node, NodeState state, Instant now) {
  AddSpan(group, node, now);
  since_[group][static_cast<std::size_t>(node)] = now;
  nodes_[group].SetState(node, state);
  counted_[group].each[static_cast<std::size_t>(node)] = state;
}

void SimulatedNodes::Pass(Duration length) {
  for (std::size_t g = 0; g < nodes_.size(); ++g) up_seconds_[g] += Seconds(length).count() * nodes_[g].up();
}

void SimulatedNodes::CloseSlot(Duration step) {
  for (std::size_t g = 0; g < nodes_.size(); ++g) {
    nodes_up_[g].push_back(static_cast<float>(std::exchange(up_seconds_[g], 0.0) / Seconds(step).count()));
  }
}

const std::vector<policy::GroupState>& SimulatedNodes::Count() {
  for (std::size_t g = 0; g < nodes_.size(); ++g) {
    const GroupNodes& nodes = nodes_[g];
    policy::GroupState& state = counted_[g];
    state.up = nodes.up();
    state.waking = nodes.waking();
    state.asleep = nodes.asleep();
    state.failed = nodes.failed();
    state.nodes_in_use = nodes.in_use();
    state.gpus_up = nodes.gpus_up();
    state.gpus_in_use = nodes.gpus_in_use();
  }
  return counted_;
}

void SimulatedNodes::Finish(Instant now, SimulatedRun& run) {
  for (std::size_t g = 0; g < nodes_.size(); ++g) {
    for (int n = 0; n < nodes_[g].count(); ++n) AddSpan(g, n, now);
  }
  run.node_spans = std::move(spans_);
  run.nodes_up = std::move(nodes_up_);
}

}  // namespace heliostat::sim
