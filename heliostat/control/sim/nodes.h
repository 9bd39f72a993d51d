#pragma once

#include <vector>

#include "heliostat/control/policy/job_table.h"

namespace heliostat::sim {

// GPUs of one node that something holds.
using Hold = policy::NodeShare;
using Holds = std::vector<Hold>;

enum class NodeState { kUp, kWaking, kAsleep, kFailed };

// The nodes of one group, one by one: who holds what, who is awake. Finds room in constant time for jobs of up to a
// node's size.
class Nodes {
 public:
  explicit Nodes(const scenario::Group& group);

  // Room for `gpus` on nodes that are up: on the fullest node where they fit; else, and for more than a node has, on as
  // few nodes as there are. Empty when too few are free.
  Holds Take(int gpus);
  // The same for something that is expected to end at `until`: where it keeps a node in use for the least time beyond
  // what holds it already.
  Holds Take(int gpus, Instant now, Instant until);
  // Room for things that may sit anywhere: gaps on nodes in use first. Empty when too few are free.
  Holds Fill(int gpus);
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
  int count() const { return static_cast<int>(nodes_.size()); }

  // A node that is up and holds nothing, to be put to sleep; -1 when there is none.
  int FindEmpty() const;
  // A node that sleeps; -1 when there is none.
  int FindAsleep() const;
  // Whatever holds GPUs of a node that leaves kUp must have been released.
  void SetState(int node, NodeState state);
  // A node's GPUs that work, `gpus` of them. Those in use must not be more.
  void SetGpus(int node, int gpus);

 private:
  struct Node {
    NodeState state = NodeState::kUp;
    int gpus = 0;  // that work
    int free = 0;
    int place = 0;         // in its bucket
    Instant in_use_until;  // by what is known of those that hold it
  };
  static std::size_t Index(int node) { return static_cast<std::size_t>(node); }
  void Enter(int node);
  void Leave(int node);
  void SetFree(int node, int free);
  void Extend(const Hold& hold, Instant until);
  int& Counter(NodeState state);

  std::vector<Node> nodes_;
  std::vector<std::vector<int>> by_free_;  // [free GPUs]: nodes that are up
  std::vector<int> sleepers_;              // the last to fall asleep is the first to wake
  int up_ = 0;
  int waking_ = 0;
  int asleep_ = 0;
  int failed_ = 0;
  int empty_ = 0;  // up, without holds
  int gpus_up_ = 0;
  int gpus_in_use_ = 0;
};

}  // namespace heliostat::sim
