#include "heliostat/control/cluster/slurm_cluster.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "heliostat/base/core/log.h"
#include "heliostat/control/cluster/slurm_config.h"
#include "heliostat/control/cluster/slurm_history.h"
#include "heliostat/control/cluster/slurm_nodes.h"
#include "heliostat/control/cluster/slurm_queue.h"

namespace heliostat::cluster {
namespace {

// Slurm knows the type of a job's GPUs only where its accounts track types. Otherwise the nodes say it, if theirs are
// all of one type.
void NameGpuTypes(std::vector<ClusterJob>& jobs, const std::vector<ClusterNode>& nodes) {
  std::unordered_map<std::string_view, const ClusterNode*> by_name;
  for (const ClusterNode& node : nodes) by_name.emplace(node.name, &node);
  for (ClusterJob& job : jobs) {
    const auto untyped = job.gpus_allocated.find("");
    if (untyped == job.gpus_allocated.end()) continue;
    std::set<std::string_view> types;
    for (const std::string& name : job.nodes) {
      const auto node = by_name.find(name);
      if (node == by_name.end()) continue;
      for (const auto& [type, count] : node->second->gpus) types.insert(type);
    }
    if (types.size() != 1 || types.begin()->empty()) continue;
    const int count = untyped->second;
    job.gpus_allocated.erase(untyped);
    job.gpus_allocated[std::string(*types.begin())] += count;
  }
}

// A time as sacct reads it, in the zone of its environment: UTC here.
std::string LocalTime(Instant time) {
  std::string text = FormatInstant(time);
  text.pop_back();  // the "Z"
  return text;
}

}  // namespace

SlurmCluster::SlurmCluster(CommandRunner& commands, const Clock& clock, RandomStream random, const SlurmLimits& limits,
                           const Patience& patience)
    : commands_(commands), clock_(clock), random_(random), limits_(limits), call_(commands, clock, limits, patience) {}

Result<ClusterFacts> SlurmCluster::Facts() {
  const auto text = call_.Ask({"scontrol", "show", "config"});
  if (!text) return Propagate(text);
  return ParseConfig(*text);
}

Result<ClusterSnapshot> SlurmCluster::Look() {
  ClusterSnapshot snapshot;
  snapshot.time = clock_.Now();
  const std::string separator = DrawSeparator(random_);
  // Of all partitions, hidden ones too; each element of an array; also what has just ended.
  auto text = call_.Ask({"squeue", "-h", "-a", "-r", "-t", "all", "-O", QueueFormat(separator)});
  if (!text) return Propagate(text);
  auto queue = ParseQueue(*text, separator);
  if (!queue) return Propagate(queue);
  text = call_.Ask({"scontrol", "-a", "-d", "-o", "show", "node"});
  if (!text) return Propagate(text);
  auto nodes = ParseNodes(*text);
  if (!nodes) return Propagate(nodes);
  snapshot.jobs = std::move(queue->jobs);
  snapshot.nodes = std::move(nodes->nodes);
  snapshot.problems = std::move(queue->problems);
  snapshot.problems.insert(snapshot.problems.end(), nodes->problems.begin(), nodes->problems.end());
  NameGpuTypes(snapshot.jobs, snapshot.nodes);
  return snapshot;
}

Result<std::vector<ClusterJob>> SlurmCluster::History(const Interval& span) {
  const auto facts = Facts();
  if (!facts) return Propagate(facts);
  if (facts->accounting != Accounting::kDatabase) {
    return Fail(ErrorCode::kUnsupported, "sacct",
                fmt::format("cluster {} keeps no accounts of ended jobs", facts->name),
                "AccountingStorageType=accounting_storage/slurmdbd in slurm.conf");
  }
  const std::string separator = DrawSeparator(random_);
  const bool is_recent = span.length() <= std::chrono::hours(24);
  // Whole jobs, each run of a requeued one.
  const auto text = commands_.Run({"sacct", "-a", "-X", "-D", "-n", "-p", "--delimiter=" + separator, "-S",
                                   LocalTime(span.begin), "-E", LocalTime(span.end), "-o", HistoryFields()},
                                  is_recent ? limits_.recent : limits_.history, limits_.history_bytes);
  if (!text) return Propagate(text);
  auto parsed = ParseHistory(*text, separator, span);
  if (!parsed) return Propagate(parsed);
  if (!parsed->problems.empty()) {
    Log(LogLevel::kWarning, "{} rows of sacct could not be read; the first: {}", parsed->problems.size(),
        parsed->problems[0]);
  }
  return std::move(parsed->jobs);
}

}  // namespace heliostat::cluster
