#pragma once

#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::sim {

// GPUs of one node that a job or a replica holds.
using NodeHold = policy::NodeShare;
using Holds = std::vector<NodeHold>;

using policy::NodeState;

// The nodes of one group: the state of each, and how many of its GPUs are held. Take() without a time takes constant
// time for jobs of up to a node's size. Not thread-safe.
class GroupNodes {
 public:
  explicit GroupNodes(const scenario::Group& group);

  // Takes `gpus` on nodes that are up: on the fullest node where they fit, else on as few nodes as possible. Empty when
  // too few are free.
  Holds Take(int gpus);
  // The same for work that is expected to end at `until`. Prefers the node whose time in use it extends the least.
  Holds Take(int gpus, Instant now, Instant until);
  // Takes exactly these GPUs for work that is expected to end at `until`. False, without a change, unless all are free.
  bool TakeNamed(const Holds& wanted, Instant until);
  // Takes `gpus` on any nodes that are up, nodes in use first. Empty when too few are free.
  Holds Fill(int gpus);
  // The holds must be those of an earlier call and not released yet.
  void Release(const Holds& holds);

  int up() const { return up_; }
  int waking() const { return waking_; }
  int asleep() const { return asleep_; }
  int failed() const { return failed_; }
  int in_use() const { return up_ - empty_; }
  int gpus_up() const { return gpus_up_; }
  int gpus_in_use() const { return gpus_in_use_; }
  int gpus_free() const { return gpus_up_ - gpus_in_use_; }

  NodeState state(int node) const { return nodes_[Index(node)].state; }
  int used(int node) const { return nodes_[Index(node)].gpus - nodes_[Index(node)].free; }
  int gpus(int node) const { return nodes_[Index(node)].gpus; }
  int free(int node) const { return nodes_[Index(node)].free; }
  int count() const { return static_cast<int>(nodes_.size()); }

  // A node that is up and has no holds, to be put to sleep. -1 when there is none.
  int FindEmpty() const;
  // A node that sleeps. -1 when there is none.
  int FindAsleep() const;
  // All holds of a node must be released before it leaves kUp.
  void SetState(int node, NodeState state);
  // Sets the number of GPUs of a node that work. It must not be less than those in use.
  void SetGpus(int node, int gpus);

 private:
  struct Node {
    NodeState state = NodeState::kUp;
    int gpus = 0;  // that work
    int free = 0;
    int place = 0;         // index in its bucket of by_free_
    Instant in_use_until;  // expected end of its holds
  };
  static std::size_t Index(int node) { return static_cast<std::size_t>(node); }
  void Enter(int node);
  void Leave(int node);
  void SetFree(int node, int free);
  void Extend(const NodeHold& hold, Instant until);
  int& Counter(NodeState state);

  std::vector<Node> nodes_;
  std::vector<std::vector<int>> by_free_;  // [free GPUs]: nodes that are up
  std::vector<int> sleepers_;              // the node that fell asleep last wakes first
  int up_ = 0;
  int waking_ = 0;
  int asleep_ = 0;
  int failed_ = 0;
  int empty_ = 0;  // up, without holds
  int gpus_up_ = 0;
  int gpus_in_use_ = 0;
};

}  // namespace heliostat::sim
