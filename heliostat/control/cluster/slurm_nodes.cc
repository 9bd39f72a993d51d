#include "heliostat/control/cluster/slurm_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "heliostat/base/core/names.h"
#include "heliostat/base/io/number.h"
#include "heliostat/control/cluster/slurm_cells.h"

namespace heliostat::cluster {
namespace {

constexpr auto kNames = NamesOf<NodeState>({{NodeState::kIdle, "idle"},
                                            {NodeState::kMixed, "mixed"},
                                            {NodeState::kAllocated, "allocated"},
                                            {NodeState::kDown, "down"},
                                            {NodeState::kPoweringDown, "powering down"},
                                            {NodeState::kAsleep, "asleep"},
                                            {NodeState::kWaking, "waking"},
                                            {NodeState::kUnknown, "unknown"}});

// "Reason=fan broken [root@2026-11-18T16:00:00]" up to the bracket, which is the last thing of an old release's line.
std::string Reason(std::string_view line) {
  const std::size_t at = line.find(" Reason=");
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + 8);
  return std::string(line.substr(0, line.find(" [")));
}

// "MIXED+DRAIN+POWERING_DOWN", "DOWN*+DRAIN", "IDLE~".
struct Flags {
  std::set<std::string_view> words;
  bool is_responding = true;

  bool Has(std::string_view word) const { return words.contains(word); }
};

Flags ParseFlags(std::string_view text) {
  Flags flags;
  while (!text.empty()) {
    const std::size_t plus = std::min(text.find('+'), text.size());
    std::string_view word = text.substr(0, plus);
    text.remove_prefix(std::min(plus + 1, text.size()));
    const std::size_t letters = word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (letters != std::string_view::npos) {
      if (word[letters] == '*') flags.is_responding = false;
      word = word.substr(0, letters);
    }
    flags.words.insert(word);
  }
  if (flags.Has("NOT_RESPONDING")) flags.is_responding = false;
  return flags;
}

NodeState StateOf(const Flags& flags) {
  // Broken comes before asleep: a node that did not wake is both.
  if (flags.Has("DOWN") || flags.Has("ERROR") || flags.Has("FAIL") || flags.Has("INVALID_REG")) return NodeState::kDown;
  // The order to wake comes before it is carried out: POWER_UP+POWERED_DOWN.
  if (flags.Has("POWERING_UP") || flags.Has("POWER_UP")) return NodeState::kWaking;
  if (flags.Has("POWERED_DOWN")) return NodeState::kAsleep;
  if (flags.Has("POWERING_DOWN")) return NodeState::kPoweringDown;
  // With jobs on it, the order to sleep waits for their end.
  if (flags.Has("ALLOCATED") || flags.Has("COMPLETING")) return NodeState::kAllocated;
  if (flags.Has("MIXED")) return NodeState::kMixed;
  if (flags.Has("POWER_DOWN")) return NodeState::kPoweringDown;
  return flags.Has("IDLE") ? NodeState::kIdle : NodeState::kUnknown;
}

int CountIn(std::string_view value) { return std::max(0, io::ParseInteger(value).value_or(0)); }

ClusterNode ParseNode(std::string_view line, std::string_view name) {
  const Flags flags = ParseFlags(ValueOf(line, "State"));
  ClusterNode node;
  node.name = name;
  node.state = StateOf(flags);
  node.is_draining = flags.Has("DRAIN") || flags.Has("DRAINING") || flags.Has("DRAINED");
  node.is_reserved = flags.Has("RESERVED");
  node.is_in_maintenance = flags.Has("MAINTENANCE") || flags.Has("MAINT");
  node.is_responding = flags.is_responding;
  node.reason = Reason(line);
  node.gpus = ParseGpus(Present(ValueOf(line, "Gres")));
  node.gpus_in_use = ParseGpus(Present(ValueOf(line, "GresUsed")));
  node.cpus = CountIn(ValueOf(line, "CPUTot"));
  node.cpus_in_use = CountIn(ValueOf(line, "CPUAlloc"));
  node.partitions = ParseList(ValueOf(line, "Partitions"));
  node.features = ParseList(ValueOf(line, "ActiveFeatures"));
  return node;
}

}  // namespace

std::string_view NameOf(NodeState state) { return kNames.NameOf(state); }

Result<ParsedNodes> ParseNodes(std::string_view text) {
  ParsedNodes parsed;
  std::set<std::string_view> seen;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(' ') == std::string_view::npos) continue;
    if (line == "No nodes in the system") continue;
    const std::string_view name = line.starts_with("NodeName=") ? ValueOf(line, "NodeName") : "";
    if (name.empty() || ValueOf(line, "State").empty()) {
      return Fail(ErrorCode::kCorrupt, fmt::format("scontrol show node, line {}", number),
                  fmt::format("'{}' is no node with a state", Printable(line, 60)));
    }
    if (!seen.insert(name).second) {
      parsed.problems.push_back(fmt::format("node {}: is listed twice; the second is left out", Printable(name, 60)));
      continue;
    }
    parsed.nodes.push_back(ParseNode(line, name));
    if (parsed.nodes.back().state == NodeState::kUnknown) {
      parsed.problems.push_back(fmt::format("node {}: its state '{}' is not known; it is left alone",
                                            Printable(name, 60), Printable(ValueOf(line, "State"), 60)));
    }
  }
  return parsed;
}

}  // namespace heliostat::cluster
