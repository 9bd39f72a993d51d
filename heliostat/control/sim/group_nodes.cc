#include "heliostat/control/sim/group_nodes.h"

#include <algorithm>
#include <map>

#include "heliostat/base/core/check.h"

namespace heliostat::sim {

GroupNodes::GroupNodes(const scenario::Group& group)
    : nodes_(static_cast<std::size_t>(group.nodes)), by_free_(static_cast<std::size_t>(group.gpus_per_node) + 1) {
  // Backwards, because Take() takes the last node of a bucket: node 0 is filled first.
  for (int n = group.nodes - 1; n >= 0; --n) {
    nodes_[Index(n)].gpus = group.gpus_per_node;
    nodes_[Index(n)].free = group.gpus_per_node;
    ++up_;
    Enter(n);
  }
}

int& GroupNodes::Counter(NodeState state) {
  switch (state) {
    case NodeState::kUp:
      return up_;
    case NodeState::kWaking:
      return waking_;
    case NodeState::kAsleep:
      return asleep_;
    case NodeState::kFailed:
      break;
  }
  return failed_;
}

void GroupNodes::Enter(int node) {
  Node& it = nodes_[Index(node)];
  auto& bucket = by_free_[Index(it.free)];
  it.place = static_cast<int>(bucket.size());
  bucket.push_back(node);
  gpus_up_ += it.gpus;
  gpus_in_use_ += it.gpus - it.free;
  empty_ += it.free == it.gpus ? 1 : 0;
}

void GroupNodes::Leave(int node) {
  const Node& it = nodes_[Index(node)];
  auto& bucket = by_free_[Index(it.free)];
  const int last = bucket.back();
  bucket[Index(it.place)] = last;
  nodes_[Index(last)].place = it.place;
  bucket.pop_back();
  gpus_up_ -= it.gpus;
  gpus_in_use_ -= it.gpus - it.free;
  empty_ -= it.free == it.gpus ? 1 : 0;
}

void GroupNodes::SetFree(int node, int free) {
  Leave(node);
  nodes_[Index(node)].free = free;
  Enter(node);
}

Holds GroupNodes::Take(int gpus) {
  Holds holds;
  if (gpus <= 0 || gpus > gpus_free()) return holds;
  const int most = static_cast<int>(by_free_.size()) - 1;
  for (int free = gpus; free <= most; ++free) {
    const auto& bucket = by_free_[Index(free)];
    if (bucket.empty()) continue;
    const int node = bucket.back();
    SetFree(node, free - gpus);
    holds.push_back({node, gpus});
    return holds;
  }
  for (int free = most; free > 0 && gpus > 0; --free) {
    while (gpus > 0 && !by_free_[Index(free)].empty()) {
      const int node = by_free_[Index(free)].back();
      const int taken = std::min(free, gpus);
      SetFree(node, free - taken);
      holds.push_back({node, taken});
      gpus -= taken;
    }
  }
  return holds;
}

Holds GroupNodes::Take(int gpus, Instant now, Instant until) {
  int best = -1;
  Duration least{};
  for (int n = 0; n < count() && gpus > 0; ++n) {
    const Node& node = nodes_[Index(n)];
    if (node.state != NodeState::kUp || node.free < gpus) continue;
    const Instant held = node.free == node.gpus ? now : std::max(now, node.in_use_until);
    const Duration more = std::max(Duration{0}, until - held);
    const bool fuller = best >= 0 && more == least && node.free < nodes_[Index(best)].free;
    if (best >= 0 && more >= least && !fuller) continue;
    best = n;
    least = more;
  }
  Holds holds = best < 0 ? Take(gpus) : Holds{{best, gpus}};
  if (best >= 0) SetFree(best, nodes_[Index(best)].free - gpus);
  for (const NodeHold& hold : holds) Extend(hold, until);
  return holds;
}

bool GroupNodes::TakeNamed(const Holds& wanted, Instant until) {
  std::map<int, int> gpus;  // [node]: one may be named twice
  for (const NodeHold& hold : wanted) gpus[hold.node] += hold.gpus;
  const bool are_free = std::all_of(gpus.begin(), gpus.end(), [this](const auto& named) {
    if (named.first < 0 || named.first >= count()) return false;
    const Node& node = nodes_[Index(named.first)];
    return node.state == NodeState::kUp && node.free >= named.second;
  });
  if (!are_free) return false;
  for (const NodeHold& hold : wanted) {
    SetFree(hold.node, nodes_[Index(hold.node)].free - hold.gpus);
    Extend(hold, until);
  }
  return true;
}

void GroupNodes::Extend(const NodeHold& hold, Instant until) {
  Node& node = nodes_[Index(hold.node)];
  const bool first = node.gpus - node.free == hold.gpus;
  node.in_use_until = first ? until : std::max(node.in_use_until, until);
}

Holds GroupNodes::Fill(int gpus) {
  Holds holds;
  if (gpus <= 0 || gpus > gpus_free()) return holds;
  for (const bool is_empty : {false, true}) {
    for (int free = static_cast<int>(by_free_.size()) - 1; free > 0 && gpus > 0; --free) {
      auto& bucket = by_free_[Index(free)];
      // From the end: SetFree() removes the node from the bucket and moves the last one to its place, which is already
      // visited.
      for (std::size_t i = bucket.size(); i-- > 0 && gpus > 0;) {
        const int node = bucket[i];
        if ((nodes_[Index(node)].gpus == free) != is_empty) continue;
        const int taken = std::min(free, gpus);
        SetFree(node, free - taken);
        holds.push_back({node, taken});
        gpus -= taken;
      }
    }
  }
  return holds;
}

void GroupNodes::Release(const Holds& holds) {
  for (const NodeHold& hold : holds) SetFree(hold.node, nodes_[Index(hold.node)].free + hold.gpus);
}

int GroupNodes::FindEmpty() const {
  // Nodes with a failed GPU sleep first.
  for (std::size_t free = 1; free < by_free_.size(); ++free) {
    for (const int node : by_free_[free]) {
      if (nodes_[Index(node)].gpus == static_cast<int>(free)) return node;
    }
  }
  return -1;
}

int GroupNodes::FindAsleep() const { return sleepers_.empty() ? -1 : sleepers_.back(); }

void GroupNodes::SetState(int node, NodeState state) {
  Node& it = nodes_[Index(node)];
  if (it.state == state) return;
  if (it.state == NodeState::kUp) {
    Check(it.free == it.gpus, "a node with GPUs in use cannot leave the state up");
    Leave(node);
  }
  if (it.state == NodeState::kAsleep) sleepers_.erase(std::find(sleepers_.begin(), sleepers_.end(), node));
  --Counter(it.state);
  it.state = state;
  ++Counter(state);
  if (state == NodeState::kUp) Enter(node);
  if (state == NodeState::kAsleep) sleepers_.push_back(node);
}

void GroupNodes::SetGpus(int node, int gpus) {
  Node& it = nodes_[Index(node)];
  const int used = it.gpus - it.free;
  Check(gpus >= used, "a node cannot have fewer GPUs than are in use");
  const bool is_up = it.state == NodeState::kUp;
  if (is_up) Leave(node);
  it.gpus = gpus;
  it.free = gpus - used;
  if (is_up) Enter(node);
}

}  // namespace heliostat::sim
