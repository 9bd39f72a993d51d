// The part of SimulatedWorld that carries out orders and handles faults.
#include <algorithm>

#include "heliostat/control/sim/world.h"

namespace heliostat::sim {

using policy::JobId;
using policy::Phase;
using policy::Receipt;

void SimulatedWorld::BeginSlot() {
  services_.BeginSlot(slot_, now());
  for (std::size_t g = 0; g < nodes_.groups(); ++g) RefreshLoad(g);
  anything_new_ = true;
}

void SimulatedWorld::EndSlot() {
  services_.EndSlot(now());
  nodes_.CloseSlot(scenario_.step);
  meter_.CloseSlot();
}

// Whether the order takes the job's GPUs away: it waits, moves, or gets another number of workers.
bool SimulatedWorld::IsStop(const policy::JobOrder& order) const {
  const policy::JobState& job = jobs_[order.job];
  if (job.phase != Phase::kRunning || !job.asked.preemptible) return false;
  if (!order.setting || order.setting->group != job.setting.group) return true;
  return works_[order.job].table->In(job.setting.group)[order.setting->point].workers != PointOf(order.job).workers;
}

void SimulatedWorld::Apply(const policy::Decision& decision, std::vector<Receipt>& receipts) {
  for (const policy::JobOrder& order : decision.jobs) {
    if (IsStop(order)) Stop(order.job);
  }
  for (const policy::ServiceOrder& order : decision.services) {
    services_.Serve(order, now());
    receipts.push_back({order.id, {}, Receipt::Status::kAccepted});
  }
  if (!decision.services.empty()) {
    for (std::size_t g = 0; g < nodes_.groups(); ++g) RefreshLoad(g);
  }
  for (std::size_t g = 0; g < decision.nodes_on.size(); ++g) {
    if (decision.nodes_up.empty()) {
      SetNodesOn(g, decision.nodes_on[g]);
    } else {
      SetNodesUp(g, decision.nodes_up[g]);
    }
  }
  for (const policy::JobOrder& order : decision.jobs) receipts.push_back(Carry(order));
}

// Call after all stops of the decision.
Receipt SimulatedWorld::Carry(const policy::JobOrder& order) {
  const Receipt accepted{order.id, order.job, Receipt::Status::kAccepted};
  const auto refused = [&](const char* why) { return Receipt{order.id, order.job, Receipt::Status::kRefused, why}; };
  const policy::JobState& job = jobs_[order.job];
  if (!order.setting) return job.phase == Phase::kRunning ? refused("the job is not preemptible") : accepted;
  if (job.phase != Phase::kRunning) {
    if (!Start(order)) return refused("too few GPUs are free");
    const bool as_named = order.nodes.empty() || job.nodes == order.nodes;
    return as_named ? accepted
                    : Receipt{order.id, order.job, Receipt::Status::kAccepted, "the named nodes were not free"};
  }
  const auto& points = works_[order.job].table->In(job.setting.group);
  const bool same_workers = order.setting->group == job.setting.group &&
                            points[order.setting->point].workers == points[job.setting.point].workers;
  if (!same_workers) return refused("the job is not preemptible");
  if (order.setting->point != job.setting.point) Retune(order.job, order.setting->point);
  return accepted;
}

void SimulatedWorld::RefreshLoad(std::size_t group) {
  GroupNodes& nodes = nodes_[group];
  GroupDraw& load = meter_.At(group);
  load.nodes_up = nodes.up();
  load.nodes_off = nodes.asleep() + nodes.failed();
  load.busy_gpus = nodes.gpus_in_use();
  // Added and subtracted powers accumulate rounding errors, so an empty group is set to exactly 0.
  if (training_gpus_[group] == 0) training_power_[group] = Watts{};
  load.training = training_power_[group];
  if (!services_.empty()) load.serving = services_.PowerIn(group);
}

void SimulatedWorld::SetNode(std::size_t group, int node, NodeState state) {
  nodes_.SetState(group, node, state, now());
  RefreshLoad(group);
}

void SimulatedWorld::SetNodesOn(std::size_t group, int wanted) {
  GroupNodes& nodes = nodes_[group];
  while (nodes.up() + nodes.waking() > wanted) {
    const int node = nodes.FindEmpty();
    if (node < 0) break;
    SetNode(group, node, NodeState::kAsleep);
  }
  while (nodes.up() + nodes.waking() < wanted) {
    const int node = nodes.FindAsleep();
    if (node < 0) break;
    Wake(group, node);
  }
}

void SimulatedWorld::Wake(std::size_t group, int node) {
  SetNode(group, node, NodeState::kWaking);
  events_.Push(now() + scenario_.groups[group].wake_time, {What::kNodeUp, group, node});
}

// Nodes with jobs stay up. Replicas leave a node that is to sleep, if others have room.
void SimulatedWorld::SetNodesUp(std::size_t group, const std::vector<int>& wanted) {
  GroupNodes& nodes = nodes_[group];
  std::vector<bool> stays(static_cast<std::size_t>(nodes.count()), false);
  for (const int node : wanted) {
    stays[static_cast<std::size_t>(node)] = true;
    if (nodes.state(node) == NodeState::kAsleep) Wake(group, node);
  }
  for (int node = 0; node < nodes.count(); ++node) {
    if (stays[static_cast<std::size_t>(node)] || nodes.state(node) != NodeState::kUp) continue;
    if (services_.MakeRoom(group, node, nodes.gpus(node))) SetNode(group, node, NodeState::kAsleep);
  }
}

void SimulatedWorld::ScheduleFault(What what, std::size_t group, int node) {
  const auto wait = what == What::kNodeFails
                        ? faults_.UntilNodeFails(group, node)
                        : faults_.UntilGpuFails(group, node, scenario_.groups[group].gpus_per_node);
  if (wait && *wait <= scenario_.end() - now()) events_.Push(now() + *wait, {what, group, node});
}

void SimulatedWorld::EvictAll(std::size_t group, int node) {
  for (const auto& [job, state] : jobs_) {
    if (state.phase != Phase::kRunning || state.setting.group != group) continue;
    const Holds& holds = state.nodes;
    if (std::any_of(holds.begin(), holds.end(), [node](const NodeHold& hold) { return hold.node == node; }))
      Interrupt(job);
  }
  services_.LoseNode(group, node, now());
  RefreshLoad(group);
  anything_new_ = true;
}

void SimulatedWorld::FailNode(std::size_t group, int node) {
  if (nodes_[group].state(node) == NodeState::kUp) {
    EvictAll(group, node);
    SetNode(group, node, NodeState::kFailed);
    ++run_.failures;
    events_.Push(now() + options_.faults.repair, {What::kNodeRepaired, group, node});
  }
  ScheduleFault(What::kNodeFails, group, node);
}

void SimulatedWorld::FailGpu(std::size_t group, int node) {
  GroupNodes& nodes = nodes_[group];
  // Which GPU fails is random. If it is in use, all work on the node stops, because it shares the node's driver.
  const int broken = faults_.GpuThatFails(group, node, scenario_.groups[group].gpus_per_node);
  if (nodes.state(node) == NodeState::kUp && broken < nodes.gpus(node)) {
    if (broken < nodes.used(node)) EvictAll(group, node);
    nodes.SetGpus(node, nodes.gpus(node) - 1);
    ++run_.failures;
    RefreshLoad(group);
    anything_new_ = true;
    events_.Push(now() + options_.faults.repair, {What::kGpuRepaired, group, node});
  }
  ScheduleFault(What::kGpuFails, group, node);
}

SimulatedRun SimulatedWorld::Finish() {
  for (const auto& [job, state] : jobs_) {
    if (IsOver(state.phase)) continue;
    if (state.phase == Phase::kRunning) Bank(job);
    run_.jobs[works_[job].scenario_job].samples_done = std::min(state.asked.samples, state.samples_done);
  }
  nodes_.Finish(now(), run_);
  run_.services = services_.Finish();
  run_.total = meter_.total();
  run_.slots = meter_.slots();
  run_.draws = meter_.draws();
  run_.wake_ups = meter_.wake_ups();
  run_.idle_node_hours = meter_.idle_nodes().count() / 3600.0;
  return std::move(run_);
}

}  // namespace heliostat::sim
