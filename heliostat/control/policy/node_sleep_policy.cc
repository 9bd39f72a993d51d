#include "heliostat/control/policy/node_sleep_policy.h"

#include <algorithm>
#include <tuple>

namespace heliostat::policy {

Duration NodeSleepPolicy::BreakEven(const scenario::Group& group) {
  const Watts idle = group.node_base + group.gpu_idle * group.gpus_per_node - group.node_sleep;
  const Joules wake = group.wake_energy + group.node_base * Seconds(group.wake_time);
  if (idle.value <= 0.0) return std::chrono::hours{24};
  return std::max(Duration{60}, std::chrono::ceil<Duration>(wake / idle));
}

void NodeSleepPolicy::Decide(const Observation& observation, Decision& decision) {
  if (!observation.capabilities.sleep_nodes) {
    inner_->Decide(observation, decision);
    return;
  }
  book_.Follow(observation);
  ForgetStarted(observation);
  std::vector<GroupState> awake(observation.groups.begin(), observation.groups.end());
  for (std::size_t g = 0; g < awake.size(); ++g) {
    const int more = awake[g].asleep + awake[g].waking;
    awake[g].gpus_up += more * observation.site->groups[g].gpus_per_node;
    awake[g].up += more;
    awake[g].asleep = awake[g].waking = 0;
  }
  // GPUs of starts that wait for a node are no longer free for the inner policy.
  for (const auto& [job, order] : pending_) {
    awake[order.setting->group].gpus_in_use += book_.Of(observation.jobs[job].asked).At(*order.setting).workers;
  }
  Observation told = observation;
  told.groups = awake;
  Duration longest_wake{0};
  for (const scenario::Group& group : observation.site->groups) longest_wake = std::max(longest_wake, group.wake_time);
  told.capabilities.order_delay += longest_wake;
  const std::vector<Receipt> receipts = ReceiptsFor(observation);
  told.receipts = receipts;
  inner_->Decide(told, decision);
  HoldBack(observation, decision);
  const std::vector<int> missing = Missing(observation, decision);
  idle_since_.resize(observation.groups.size());
  for (std::size_t g = 0; g < observation.groups.size(); ++g) {
    decision.nodes_on.push_back(NodesFor(observation, g, missing[g], decision));
  }
  if (names_nodes_) NameNodes(observation, decision);
}

// Removes jobs that no longer wait: a job that has started holds its GPUs itself. Call before GPUs are counted.
void NodeSleepPolicy::ForgetStarted(const Observation& observation) {
  for (auto it = pending_.begin(); it != pending_.end();) {
    const JobState* state = observation.jobs.Find(it->first);
    const bool waits = state != nullptr && MayStart(state->phase);
    it = waits ? std::next(it) : pending_.erase(it);
  }
}

// Adds a pending receipt for each start that waits for a node.
std::vector<Receipt> NodeSleepPolicy::ReceiptsFor(const Observation& observation) const {
  std::vector<Receipt> receipts(observation.receipts.begin(), observation.receipts.end());
  for (const auto& item : pending_) {
    receipts.push_back({0, item.first, Receipt::Status::kPending, "waits until a node is up"});
  }
  return receipts;
}

bool NodeSleepPolicy::AreUp(const Observation& observation, const JobOrder& order) {
  return std::all_of(order.nodes.begin(), order.nodes.end(), [&](const NodeShare& share) {
    const auto& each = observation.groups[order.setting->group].each;
    return each.empty() || each[static_cast<std::size_t>(share.node)] == NodeState::kUp;
  });
}

// Keeps each start that the inner policy orders until the job runs or a stop cancels it, and orders it again. A start
// on named nodes waits until they are up.
void NodeSleepPolicy::HoldBack(const Observation& observation, Decision& decision) {
  for (const JobOrder& order : decision.jobs) {
    if (!order.setting) {
      pending_.erase(order.job);
    } else if (MayStart(observation.jobs[order.job].phase)) {
      pending_[order.job] = order;
      names_nodes_ |= !order.nodes.empty();
    }
  }
  for (const auto& [job, order] : pending_) {
    const JobId who = job;
    const bool ordered =
        std::any_of(decision.jobs.begin(), decision.jobs.end(), [who](const JobOrder& one) { return one.job == who; });
    if (ordered) continue;
    decision.jobs.push_back({job, order.setting, {}, {Reason::Kind::kTurn}});
    decision.jobs.back().nodes = order.nodes;
  }
  std::erase_if(decision.jobs, [&](const JobOrder& order) {
    return order.setting && pending_.contains(order.job) && !AreUp(observation, order);
  });
}

void NodeSleepPolicy::NameNodes(const Observation& observation, Decision& decision) {
  std::vector<std::set<int>> needed(observation.groups.size());
  last_used_.resize(observation.groups.size());
  for (std::size_t g = 0; g < last_used_.size(); ++g) last_used_[g].resize(observation.groups[g].each.size());
  for (const auto& [id, job] : observation.jobs) {
    if (!HoldsGpus(job.phase)) continue;
    for (const NodeShare& share : job.nodes) {
      needed[job.setting.group].insert(share.node);
      last_used_[job.setting.group][static_cast<std::size_t>(share.node)] = observation.now;
    }
  }
  for (const auto& [id, order] : pending_) {
    for (const NodeShare& share : order.nodes) needed[order.setting->group].insert(share.node);
  }
  for (std::size_t g = 0; g < needed.size(); ++g) {
    decision.nodes_up.push_back(NamesFor(observation, g, needed[g], decision.nodes_on[g]));
    decision.nodes_on[g] = static_cast<int>(decision.nodes_up[g].size());
  }
}

// The nodes that are needed and, up to `count`, others: first those that wake, then those that were used last.
std::vector<int> NodeSleepPolicy::NamesFor(const Observation& observation, std::size_t group,
                                           const std::set<int>& needed, int count) {
  const std::vector<NodeState>& each = observation.groups[group].each;
  std::vector<int> names(needed.begin(), needed.end());
  std::vector<int> others;
  for (int node = 0; node < static_cast<int>(each.size()); ++node) {
    const bool has_failed = each[static_cast<std::size_t>(node)] == NodeState::kFailed;
    if (!has_failed && !needed.contains(node)) others.push_back(node);
  }
  const auto key = [&](int node) {
    const auto at = static_cast<std::size_t>(node);
    const int rank = each[at] == NodeState::kWaking ? 0 : each[at] == NodeState::kUp ? 1 : 2;
    return std::tuple{rank, -last_used_[group][at].time_since_epoch(), node};
  };
  std::sort(others.begin(), others.end(), [&](int a, int b) { return key(a) < key(b); });
  for (const int node : others) {
    if (static_cast<int>(names.size()) >= count) break;
    names.push_back(node);
  }
  return names;
}

std::vector<int> NodeSleepPolicy::Missing(const Observation& observation, const Decision& decision) {
  std::vector<int> missing(observation.groups.size(), 0);
  for (const auto& [job, order] : pending_) {
    missing[order.setting->group] += book_.Of(observation.jobs[job].asked).At(*order.setting).workers;
  }
  for (const JobOrder& order : decision.jobs) {
    const JobState& job = observation.jobs[order.job];
    if (job.phase != Phase::kRunning || order.setting) continue;
    missing[job.setting.group] -= book_.Of(job.asked).At(job.setting).workers;
  }
  for (const ServiceOrder& order : decision.services) {
    const Serving& now = observation.services[order.service].serving;
    missing[now.group] -= now.replicas;
    missing[order.serving.group] += order.serving.replicas;
  }
  for (std::size_t g = 0; g < missing.size(); ++g) missing[g] -= observation.groups[g].gpus_free();
  return missing;
}

int NodeSleepPolicy::NodesFor(const Observation& observation, std::size_t group, int missing_gpus, Decision& decision) {
  const GroupState& state = observation.groups[group];
  const int per_node = observation.site->groups[group].gpus_per_node;
  if (missing_gpus > 0) {
    idle_since_[group].clear();
    return state.up + std::max(state.waking, (missing_gpus + per_node - 1) / per_node);
  }
  // Nodes that are idle for the longest time sleep first. Work that starts now takes the nodes that became idle last.
  const int spare = std::min(state.up - state.nodes_in_use, -missing_gpus / per_node);
  auto& since = idle_since_[group];
  while (static_cast<int>(since.size()) > spare) since.pop_back();
  while (static_cast<int>(since.size()) < spare) since.push_back(observation.now);
  const Duration wait = BreakEven(observation.site->groups[group]);
  int asleep = 0;
  while (!since.empty() && since.front() + wait <= observation.now) {
    since.erase(since.begin());
    ++asleep;
  }
  if (!since.empty()) {
    const Instant next = since.front() + wait;
    decision.call_again = decision.call_again ? std::min(*decision.call_again, next) : next;
  }
  return state.up + state.waking - asleep;
}

}  // namespace heliostat::policy
