#include "heliostat/control/sim/simulated_services.h"

#include <algorithm>

#include "heliostat/model/account/energy_carbon_cost.h"
#include "heliostat/planning/plan/performance.h"

namespace heliostat::sim {

SimulatedServices::SimulatedServices(const scenario::Scenario& scenario,
                                     const std::map<std::size_t, Requests>& requests, SimulatedNodes& nodes)
    : scenario_(scenario), nodes_(nodes), replicas_(scenario.services.size()) {
  for (std::size_t s = 0; s < scenario.services.size(); ++s) {
    policy::ServiceState state;
    state.asked = scenario.services[s];
    state.asked.requests_per_s.clear();
    states_.push_back(std::move(state));
    const auto trace = requests.find(s);
    queues_.emplace_back(scenario, s, trace == requests.end() ? nullptr : &trace->second);
  }
}

void SimulatedServices::BeginSlot(std::size_t slot, Instant now) {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    states_[s].requests_per_s = scenario_.services[s].requests_per_s[slot];
    queues_[s].Change(now, states_[s].requests_per_s, states_[s].serving);
  }
}

void SimulatedServices::EndSlot(Instant now) {
  for (ServiceQueue& queue : queues_) queue.EndSlot(now);
}

void SimulatedServices::Serve(const policy::ServiceOrder& order, Instant now) {
  policy::ServiceState& state = states_[order.service];
  if (order.serving == state.serving) return;
  Holds& held = replicas_[order.service];
  nodes_[state.serving.group].Release(held);
  held.clear();
  GroupNodes& nodes = nodes_[order.serving.group];
  const int replicas = std::min(order.serving.replicas, nodes.gpus_free());
  if (replicas > 0) held = nodes.Fill(replicas);
  state.serving = order.serving;
  state.serving.replicas = replicas;
  queues_[order.service].Change(now, state.requests_per_s, state.serving);
}

bool SimulatedServices::MakeRoom(std::size_t group, int node, int gpus) {
  GroupNodes& nodes = nodes_[group];
  if (nodes.state(node) != NodeState::kUp) return false;
  const int missing = gpus - nodes.free(node);
  if (missing <= 0) return true;
  int movable = 0;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (states_[s].serving.group != group) continue;
    for (const NodeHold& hold : replicas_[s]) movable += hold.node == node ? hold.gpus : 0;
  }
  if (movable < missing || nodes.gpus_free() - nodes.free(node) < missing) return false;
  // The free GPUs of the node are taken meanwhile, so that no replica moves back to it.
  Holds freed;
  if (nodes.free(node) > 0) freed.push_back({node, nodes.free(node)});
  nodes.TakeNamed(freed, {});
  int left = missing;
  for (std::size_t s = 0; s < states_.size() && left > 0; ++s) {
    if (states_[s].serving.group != group) continue;
    Holds moved;
    for (NodeHold& hold : replicas_[s]) {
      if (hold.node != node) continue;
      const int count = std::min(left, hold.gpus);
      for (const NodeHold& there : nodes.Fill(count)) moved.push_back(there);
      hold.gpus -= count;
      left -= count;
      if (count > 0) freed.push_back({node, count});
    }
    std::erase_if(replicas_[s], [](const NodeHold& hold) { return hold.gpus == 0; });
    replicas_[s].insert(replicas_[s].end(), moved.begin(), moved.end());
  }
  nodes.Release(freed);
  return true;
}

void SimulatedServices::LoseNode(std::size_t group, int node, Instant now) {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (states_[s].serving.group != group) continue;
    Holds kept;
    Holds lost;
    for (const NodeHold& hold : replicas_[s]) (hold.node == node ? lost : kept).push_back(hold);
    if (lost.empty()) continue;
    nodes_[group].Release(lost);
    replicas_[s] = kept;
    states_[s].serving.replicas = 0;
    for (const NodeHold& hold : kept) states_[s].serving.replicas += hold.gpus;
    queues_[s].Change(now, states_[s].requests_per_s, states_[s].serving);
  }
}

Watts SimulatedServices::PowerIn(std::size_t group) const {
  Watts power;
  const scenario::Group& where = scenario_.groups[group];
  for (const policy::ServiceState& state : states_) {
    const policy::Serving& serving = state.serving;
    if (serving.group != group || serving.replicas == 0) continue;
    const auto& point = scenario_.inference.Of(state.asked.model, where.gpu)[serving.point];
    const double utilisation = std::min(1.0, state.requests_per_s / (serving.replicas * point.requests_per_s));
    power += account::ServingPower(where.gpu_idle, point.power, utilisation) * serving.replicas;
  }
  return power;
}

std::vector<ServiceRun> SimulatedServices::Finish() {
  std::vector<ServiceRun> runs;
  for (ServiceQueue& queue : queues_) runs.push_back(std::move(queue).Finish());
  return runs;
}

}  // namespace heliostat::sim
