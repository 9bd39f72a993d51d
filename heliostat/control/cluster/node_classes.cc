#include "heliostat/control/cluster/node_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "heliostat/model/profile/library.h"

namespace heliostat::cluster {
namespace {

struct Kind {
  std::string type;
  int count = 0;
  friend auto operator<=>(const Kind&, const Kind&) = default;
};

// Letters and digits only, in upper case, each word by itself: "nvidia_a100-sxm4" is NVIDIA, A100, SXM4.
std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!is_letter)
      words.emplace_back();
    else
      words.back() += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  std::erase(words, "");
  return words;
}

scenario::Group GroupOf(const Kind& kind, int nodes) {
  const std::string_view known = LibraryGpu(kind.type);
  if (!known.empty()) return profile::GroupOf(known, nodes, kind.count);
  scenario::Group group;
  group.name = kind.type.empty() ? "gpu" : kind.type;
  group.gpu = group.name;
  group.nodes = nodes;
  group.gpus_per_node = kind.count;
  return group;
}

// "a100" and "a100-8": no two groups of a scenario have one name.
void MakeNamesUnique(std::vector<NodeClass>& classes) {
  std::map<std::string, int> uses;
  for (const NodeClass& c : classes) ++uses[c.group.name];
  std::map<std::string, int> taken;
  for (NodeClass& c : classes) {
    if (uses[c.group.name] > 1) c.group.name = fmt::format("{}-{}", c.group.name, c.group.gpus_per_node);
    const int n = ++taken[c.group.name];
    if (n > 1) c.group.name = fmt::format("{}-{}", c.group.name, n);
  }
}

}  // namespace

std::string_view LibraryGpu(std::string_view type) {
  const auto words = Words(type);
  for (const std::string_view gpu : profile::LibraryGpus()) {
    // "rtx_4090" has the two words of one name.
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == gpu || (i > 0 && words[i - 1] + words[i] == gpu)) return gpu;
    }
  }
  return {};
}

BusyPower BusyPowerOf(std::string_view gpu) {
  std::vector<double> watts;
  for (const profile::LibraryEntry& entry : profile::LibraryEntries()) {
    if (entry.is_training && entry.gpu == gpu) watts.push_back(entry.power_w);
  }
  if (watts.empty()) return {};
  std::sort(watts.begin(), watts.end());
  const double median = watts[watts.size() / 2];
  return {Watts{median}, std::max(median - watts.front(), watts.back() - median) / median};
}

std::vector<NodeClass> GroupsFrom(const ClusterSnapshot& snapshot) {
  std::vector<Kind> order;
  std::map<Kind, std::vector<std::string>> nodes;
  for (const ClusterNode& node : snapshot.nodes) {
    if (node.gpus.size() != 1) continue;
    const Kind kind{node.gpus.begin()->first, node.gpus.begin()->second};
    auto& names = nodes[kind];
    if (names.empty()) order.push_back(kind);
    names.push_back(node.name);
  }
  std::vector<NodeClass> classes;
  for (const Kind& kind : order) {
    std::vector<std::string>& names = nodes[kind];
    const std::string_view known = LibraryGpu(kind.type);
    const BusyPower busy = BusyPowerOf(known);
    classes.push_back(
        {GroupOf(kind, static_cast<int>(names.size())), std::move(names), !known.empty(), busy.power, busy.error});
  }
  MakeNamesUnique(classes);
  return classes;
}

}  // namespace heliostat::cluster
