// The half of SimulatedWorld that minds nodes, services and what breaks.
#include <algorithm>
#include <cmath>

#include "heliostat/core/check.h"
#include "heliostat/plan/performance.h"
#include "heliostat/sim/world.h"

namespace heliostat::sim {

using policy::JobId;
using policy::Phase;
using policy::Receipt;

void SimulatedWorld::BeginSlot() {
  for (std::size_t s = 0; s < services_.size(); ++s) {
    services_[s].requests_per_s = scenario_.services[s].requests_per_s[slot_];
    queues_[s].Change(now(), services_[s].requests_per_s, services_[s].serving);
  }
  for (std::size_t g = 0; g < nodes_.size(); ++g) RefreshLoad(g);
  anything_new_ = true;
}

void SimulatedWorld::EndSlot() {
  for (ServiceQueue& queue : queues_) queue.EndSlot(now());
  for (std::size_t g = 0; g < nodes_.size(); ++g) {
    run_.nodes_up[g].push_back(static_cast<float>(up_seconds_[g] / Seconds(scenario_.step).count()));
    up_seconds_[g] = 0.0;
  }
  meter_.CloseSlot();
}

// Whether the job loses its GPUs: it is to wait, or to go on elsewhere or with other workers.
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
    Serve(order);
    receipts.push_back({order.id, {}, Receipt::Status::kAccepted});
  }
  for (std::size_t g = 0; g < decision.nodes_on.size(); ++g) SetNodesOn(g, decision.nodes_on[g]);
  for (const policy::JobOrder& order : decision.jobs) receipts.push_back(Carry(order));
}

// After all stops.
Receipt SimulatedWorld::Carry(const policy::JobOrder& order) {
  const Receipt accepted{order.id, order.job, Receipt::Status::kAccepted};
  const auto refused = [&](const char* why) { return Receipt{order.id, order.job, Receipt::Status::kRefused, why}; };
  const policy::JobState& job = jobs_[order.job];
  if (!order.setting) return job.phase == Phase::kRunning ? refused("it runs in one piece") : accepted;
  if (job.phase != Phase::kRunning) return Start(order) ? accepted : refused("too few GPUs are free");
  const auto& points = works_[order.job].table->In(job.setting.group);
  const bool same_workers = order.setting->group == job.setting.group &&
                            points[order.setting->point].workers == points[job.setting.point].workers;
  if (!same_workers) return refused("it runs in one piece");
  if (order.setting->point != job.setting.point) Retune(order.job, order.setting->point);
  return accepted;
}

void SimulatedWorld::LeaveGpus(std::size_t service) {
  const std::size_t group = services_[service].serving.group;
  nodes_[group].Release(replicas_[service]);
  replicas_[service].clear();
  services_[service].serving.replicas = 0;
  RefreshLoad(group);
}

void SimulatedWorld::Serve(const policy::ServiceOrder& order) {
  policy::ServiceState& state = services_[order.service];
  if (order.serving == state.serving) return;
  LeaveGpus(order.service);
  const std::size_t group = order.serving.group;
  // A replica too few is better than none.
  const int replicas = std::min(order.serving.replicas, nodes_[group].gpus_free());
  if (replicas > 0) replicas_[order.service] = nodes_[group].Fill(replicas);
  state.serving = order.serving;
  state.serving.replicas = replicas;
  queues_[order.service].Change(now(), state.requests_per_s, state.serving);
  RefreshLoad(group);
}

Watts SimulatedWorld::ServingPower(std::size_t group) const {
  Watts power;
  for (std::size_t s = 0; s < services_.size(); ++s) {
    const policy::Serving& serving = services_[s].serving;
    if (serving.group != group || serving.replicas == 0) continue;
    const scenario::Group& where = scenario_.groups[group];
    const auto& point = scenario_.inference.Of(services_[s].asked.model, where.gpu)[serving.point];
    const double utilisation = std::min(1.0, services_[s].requests_per_s / (serving.replicas * point.requests_per_s));
    power += account::ServingPower(where.gpu_idle, point.power, utilisation) * serving.replicas;
  }
  return power;
}

void SimulatedWorld::RefreshLoad(std::size_t group) {
  Nodes& nodes = nodes_[group];
  Load& load = meter_.At(group);
  load.nodes_up = nodes.up();
  load.nodes_off = nodes.asleep() + nodes.failed();
  load.busy_gpus = nodes.gpus_in_use();
  // Sums of what came and went would drift: an empty group draws nothing, exactly.
  if (training_gpus_[group] == 0) training_power_[group] = Watts{};
  load.training = training_power_[group];
  if (!services_.empty()) load.serving = ServingPower(group);
}

void SimulatedWorld::CountGroups() {
  for (std::size_t g = 0; g < nodes_.size(); ++g) {
    const Nodes& nodes = nodes_[g];
    group_states_[g] = {nodes.up(),     nodes.waking(),  nodes.asleep(),     nodes.failed(),
                        nodes.in_use(), nodes.gpus_up(), nodes.gpus_in_use()};
  }
}

void SimulatedWorld::SetNode(std::size_t group, int node, NodeState state) {
  Nodes& nodes = nodes_[group];
  const NodeState before = nodes.state(node);
  Instant& since = state_since_[group][static_cast<std::size_t>(node)];
  if (before != NodeState::kUp && now() > since) run_.node_spans.push_back({group, node, before, {since, now()}});
  since = now();
  nodes.SetState(node, state);
  RefreshLoad(group);
}

void SimulatedWorld::SetNodesOn(std::size_t group, int wanted) {
  Nodes& nodes = nodes_[group];
  while (nodes.up() + nodes.waking() > wanted) {
    const int node = nodes.FindEmpty();
    if (node < 0) break;
    SetNode(group, node, NodeState::kAsleep);
  }
  while (nodes.up() + nodes.waking() < wanted) {
    const int node = nodes.FindAsleep();
    if (node < 0) break;
    SetNode(group, node, NodeState::kWaking);
    events_.Push(now() + scenario_.groups[group].wake_time, {What::kNodeUp, group, node});
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
    if (std::any_of(holds.begin(), holds.end(), [node](const Hold& hold) { return hold.node == node; })) Interrupt(job);
  }
  for (std::size_t s = 0; s < services_.size(); ++s) {
    const Holds& holds = replicas_[s];
    if (services_[s].serving.group != group) continue;
    if (std::none_of(holds.begin(), holds.end(), [node](const Hold& hold) { return hold.node == node; })) continue;
    // Its other replicas go on: those of this node are gone until the policy places them anew.
    Holds kept;
    Holds lost;
    for (const Hold& hold : holds) (hold.node == node ? lost : kept).push_back(hold);
    nodes_[group].Release(lost);
    replicas_[s] = kept;
    services_[s].serving.replicas = 0;
    for (const Hold& hold : kept) services_[s].serving.replicas += hold.gpus;
    queues_[s].Change(now(), services_[s].requests_per_s, services_[s].serving);
  }
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
  Nodes& nodes = nodes_[group];
  // Which one breaks is chance. What holds it stops, and with it all that shares the node's driver.
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

Run SimulatedWorld::Finish() {
  for (const auto& [job, state] : jobs_) {
    if (IsOver(state.phase)) continue;
    if (state.phase == Phase::kRunning) Bank(job);
    run_.jobs[works_[job].scenario_job].samples_done = std::min(state.asked.samples, state.samples_done);
  }
  for (std::size_t g = 0; g < nodes_.size(); ++g) {
    for (int n = 0; n < nodes_[g].count(); ++n) {
      const Instant since = state_since_[g][static_cast<std::size_t>(n)];
      if (nodes_[g].state(n) != NodeState::kUp && now() > since) {
        run_.node_spans.push_back({g, n, nodes_[g].state(n), {since, now()}});
      }
    }
  }
  for (ServiceQueue& queue : queues_) run_.services.push_back(std::move(queue).Finish());
  run_.total = meter_.total();
  run_.slots = meter_.slots();
  run_.draws = meter_.draws();
  run_.wake_ups = meter_.wake_ups();
  run_.idle_node_hours = meter_.idle_nodes().count() / 3600.0;
  return std::move(run_);
}

}  // namespace heliostat::sim
