#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/control/cluster/cluster.h"
#include "heliostat/control/cluster_account/usage.h"
#include "heliostat/control/controller/config.h"

namespace heliostat::controller {

// Nodes that are alike, and what they draw.
struct NodeGroup {
  scenario::Group group;
  Watts gpu_busy;               // one GPU that a job has
  double gpu_busy_error = 0.0;  // relative: how far single jobs are from it
  bool is_estimated = true;     // watts of the built-in library, not of the operator
  friend bool operator==(const NodeGroup&, const NodeGroup&) = default;
};

// Whether a node takes no jobs and draws as much as one that sleeps.
bool IsOff(cluster::NodeState state);

// The node groups of a cluster: those of the config or, where it names none, by the types and numbers of GPUs. A group
// keeps its index when nodes come and go. Not thread-safe.
class NodeGroups {
 public:
  // `config` must outlive this.
  explicit NodeGroups(const Config& config) : config_(config) {}

  // Follows the nodes of the cluster. True when a group has changed.
  bool Follow(const cluster::ClusterSnapshot& snapshot);

  const std::vector<NodeGroup>& groups() const { return groups_; }
  // The group of a node. Nothing for a node without GPUs, or in no group.
  std::optional<std::size_t> Of(const std::string& node) const;
  // The group of all these nodes; nothing where they have several or none.
  std::optional<std::size_t> OfAll(std::span<const std::string> nodes) const;
  // The nodes of the snapshot, in its order; those in no group draw nothing.
  std::vector<cluster_account::NodeSpan> Spans(const cluster::ClusterSnapshot& snapshot) const;
  // What the operator should know about groups and nodes, single lines.
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  void TakeConfigured(const cluster::ClusterSnapshot& snapshot);
  void TakeFound(const cluster::ClusterSnapshot& snapshot);
  NodeGroup& GroupNamed(const scenario::Group& group);

  const Config& config_;
  std::vector<NodeGroup> groups_;
  std::map<std::string, std::size_t> of_node_;
  std::map<std::string, cluster::GpusByType> nodes_;  // as last seen
  std::vector<std::string> remarks_;
};

}  // namespace heliostat::controller
