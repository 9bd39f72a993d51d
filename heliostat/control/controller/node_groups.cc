#include "heliostat/control/controller/node_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/io/hostlist.h"
#include "heliostat/control/cluster/node_classes.h"

namespace heliostat::controller {

using cluster::ClusterNode;
using cluster::ClusterSnapshot;
using cluster::NodeState;

namespace {

// Whether the node has GPUs of this name, as the config may name them: "A100", or the cluster's own type.
bool HasGpu(const ClusterNode& node, const std::string& gpu) {
  return node.gpus.size() == 1 &&
         (cluster::LibraryGpu(node.gpus.begin()->first) == gpu || node.gpus.begin()->first == gpu);
}

}  // namespace

bool IsOff(NodeState state) {
  return state == NodeState::kDown || state == NodeState::kAsleep || state == NodeState::kPoweringDown;
}

bool NodeGroups::Follow(const ClusterSnapshot& snapshot) {
  std::map<std::string, cluster::GpusByType> nodes;
  for (const ClusterNode& node : snapshot.nodes) nodes.emplace(node.name, node.gpus);
  if (nodes == nodes_ && !groups_.empty()) return false;
  nodes_ = std::move(nodes);
  const std::vector<NodeGroup> before = groups_;
  of_node_.clear();
  remarks_.clear();
  for (NodeGroup& group : groups_) group.group.nodes = 0;
  if (config_.groups.empty()) {
    TakeFound(snapshot);
  } else {
    TakeConfigured(snapshot);
  }
  return groups_ != before;
}

NodeGroup& NodeGroups::GroupNamed(const scenario::Group& group) {
  const auto same = std::find_if(groups_.begin(), groups_.end(),
                                 [&](const NodeGroup& other) { return other.group.name == group.name; });
  if (same != groups_.end()) {
    same->group = group;
    return *same;
  }
  groups_.push_back({group, {}, 0.0, true});
  return groups_.back();
}

void NodeGroups::TakeFound(const ClusterSnapshot& snapshot) {
  for (const cluster::NodeClass& found : cluster::GroupsFrom(snapshot)) {
    NodeGroup& group = GroupNamed(found.group);
    group.gpu_busy = found.gpu_busy;
    group.gpu_busy_error = found.gpu_busy_error;
    for (const std::string& node : found.nodes) of_node_[node] = static_cast<std::size_t>(&group - groups_.data());
    if (found.has_watts) continue;
    remarks_.push_back(
        fmt::format("nodes {}: the GPU '{}' is not in the built-in library, so their energy counts as 0; "
                    "describe them in [[groups]]",
                    io::CompressHosts(found.nodes), found.group.gpu));
  }
}

void NodeGroups::TakeConfigured(const ClusterSnapshot& snapshot) {
  for (const GroupConfig& wanted : config_.groups) {
    NodeGroup& group = GroupNamed(wanted.group);
    const auto index = static_cast<std::size_t>(&group - groups_.data());
    const cluster::BusyPower library = cluster::BusyPowerOf(cluster::LibraryGpu(wanted.group.gpu));
    group.is_estimated = !wanted.gpu_busy;
    group.gpu_busy = wanted.gpu_busy.value_or(library.power);
    group.gpu_busy_error = wanted.gpu_busy ? 0.0 : library.error;
    if (group.gpu_busy.value == 0.0) {
      remarks_.push_back(fmt::format("group {}: the GPU '{}' is not in the built-in library; add gpu_busy_w",
                                     group.group.name, group.group.gpu));
    }
    group.group.nodes = 0;
    for (const ClusterNode& node : snapshot.nodes) {
      const bool is_named = std::find(wanted.nodes.begin(), wanted.nodes.end(), node.name) != wanted.nodes.end();
      if (!is_named && !(wanted.nodes.empty() && HasGpu(node, wanted.group.gpu))) continue;
      if (of_node_.contains(node.name)) continue;
      of_node_[node.name] = index;
      ++group.group.nodes;
      if (cluster::CountOf(node.gpus) == wanted.group.gpus_per_node) continue;
      remarks_.push_back(fmt::format("node {} has {} GPUs, its group {} says {}", node.name,
                                     cluster::CountOf(node.gpus), wanted.group.name, wanted.group.gpus_per_node));
    }
    const auto expected = wanted.nodes.empty() ? wanted.group.nodes : static_cast<int>(wanted.nodes.size());
    if (group.group.nodes != expected) {
      remarks_.push_back(fmt::format("group {} has {} nodes in the cluster, the config says {}", wanted.group.name,
                                     group.group.nodes, expected));
    }
  }
  std::vector<std::string> left;
  for (const ClusterNode& node : snapshot.nodes) {
    if (cluster::CountOf(node.gpus) > 0 && !of_node_.contains(node.name)) left.push_back(node.name);
  }
  if (!left.empty())
    remarks_.push_back(fmt::format("nodes {} are in no group: their energy is not counted", io::CompressHosts(left)));
}

std::optional<std::size_t> NodeGroups::Of(const std::string& node) const {
  const auto found = of_node_.find(node);
  return found == of_node_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> NodeGroups::OfAll(std::span<const std::string> nodes) const {
  std::optional<std::size_t> all;
  for (const std::string& node : nodes) {
    const auto group = Of(node);
    if (!group || (all && all != group)) return std::nullopt;
    all = group;
  }
  return all;
}

std::vector<cluster_account::NodeSpan> NodeGroups::Spans(const ClusterSnapshot& snapshot) const {
  std::vector<cluster_account::NodeSpan> spans;
  spans.reserve(snapshot.nodes.size());
  for (const ClusterNode& node : snapshot.nodes) {
    cluster_account::NodeSpan span{{}, cluster::CountOf(node.gpus), IsOff(node.state)};
    if (const auto group = Of(node.name)) {
      const NodeGroup& of = groups_[*group];
      span.power = {of.group.node_base, of.group.node_sleep, of.group.gpu_idle, of.gpu_busy};
      span.gpus = of.group.gpus_per_node;
    }
    spans.push_back(span);
  }
  return spans;
}

}  // namespace heliostat::controller
