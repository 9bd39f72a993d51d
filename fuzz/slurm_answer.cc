// Any bytes are an answer of one of Slurm's commands or one error. What is read keeps the promises of ClusterSnapshot.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "fuzz/target_name.h"
#include "heliostat/base/core/check.h"
#include "heliostat/base/io/hostlist.h"
#include "heliostat/control/cluster/slurm_config.h"
#include "heliostat/control/cluster/slurm_history.h"
#include "heliostat/control/cluster/slurm_nodes.h"
#include "heliostat/control/cluster/slurm_queue.h"
#include "heliostat/control/cluster/slurm_records.h"

namespace {

using namespace heliostat;

constexpr std::size_t kLongest = 16384;
constexpr std::string_view kSeparator = "|~";

void CheckGpus(const cluster::GpusByType& gpus) {
  for (const auto& [type, count] : gpus) Check(count > 0, "a number of GPUs is not above zero");
}

void CheckJob(const cluster::ClusterJob& job) {
  CheckGpus(job.gpus_requested);
  CheckGpus(job.gpus_allocated);
  Check(job.end_kind.has_value() == (job.state == cluster::JobState::kEnded), "only ended jobs have a kind of end");
  Check(job.nodes.size() <= io::kMostHosts, "a job has too many nodes");
  Check(!job.time_limit || job.time_limit->count() >= 0, "a time limit is negative");
}

void CheckQueue(std::string_view text) {
  const auto parsed = cluster::ParseQueue(text, kSeparator);
  if (!parsed) return Check(!parsed.error().Line().empty(), "an error has no text");
  std::set<cluster::JobKey> keys;
  for (const auto& job : parsed->jobs) {
    CheckJob(job);
    Check(keys.insert(job.key).second, "two jobs have one key");
  }
  // A queue that breaks off within its last row is refused.
  if (!text.empty()) Check(!cluster::ParseQueue(text.substr(0, text.size() - 1), kSeparator), "half a queue is read");
}

void CheckHistory(std::string_view text) {
  const Interval span{Instant{Duration{0}}, Instant{Duration{4'000'000'000}}};
  const auto parsed = cluster::ParseHistory(text, kSeparator, span);
  if (!parsed) return Check(!parsed.error().Line().empty(), "an error has no text");
  Instant last = span.begin;
  for (const auto& job : parsed->jobs) {
    CheckJob(job);
    Check(job.end && span.Contains(*job.end) && *job.end >= last, "the ends are not in their order");
    last = *job.end;
  }
}

void CheckNodes(std::string_view text) {
  const auto parsed = cluster::ParseNodes(text);
  if (!parsed) return Check(!parsed.error().Line().empty(), "an error has no text");
  std::set<std::string> names;
  for (const auto& node : parsed->nodes) {
    CheckGpus(node.gpus);
    CheckGpus(node.gpus_in_use);
    Check(!node.name.empty() && names.insert(node.name).second, "two nodes have one name");
  }
}

void CheckRecords(std::string_view text) {
  const auto parsed = cluster::ParseRecords(text, kSeparator);
  if (!parsed) return Check(!parsed.error().Line().empty(), "an error has no text");
  for (const auto& record : *parsed) {
    Check(record.key.submit.time_since_epoch().count() > 0, "a record has no submit time");
    Check(!record.throttle || (*record.throttle >= 0 && record.elements.size() > 1), "only arrays have a throttle");
    Check(!record.is_array() || !record.key.element, "a record of several elements names one");
    Check(cluster::ParseElements(cluster::ElementsText(record.elements)) == record.elements, "indices change");
  }
  if (!text.empty()) Check(!cluster::ParseRecords(text.substr(0, text.size() - 1), kSeparator), "half a queue is read");
}

void CheckReservations(std::string_view text) {
  const auto parsed = cluster::ParseReservations(text, "carbon");
  if (!parsed) return Check(!parsed.error().Line().empty(), "an error has no text");
  for (const auto& pin : parsed->pins) Check(!pin.name.empty(), "a pin has no name");
  for (const auto& other : parsed->others) Check(!other.name.empty(), "a reservation has no name");
}

void CheckConfig(std::string_view text) {
  const auto facts = cluster::ParseConfig(text);
  if (!facts) return Check(!facts.error().Line().empty(), "an error has no text");
  Check(!facts->version.empty() && !facts->name.empty(), "facts have no name");
}

void CheckHostlist(std::string_view text) {
  const auto hosts = io::ExpandHostlist(text);
  if (!hosts) return Check(!hosts.error().Line().empty(), "an error has no text");
  Check(hosts->size() <= io::kMostHosts, "a list has too many hosts");
  if (hosts->size() > 1000) return;
  const auto again = io::ExpandHostlist(io::CompressHosts(*hosts));
  Check(again && *again == *hosts, "the hosts change when they are compressed and expanded");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kLongest) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view target(TargetName());
  if (target == "slurm_queue") CheckQueue(text);
  if (target == "slurm_history") CheckHistory(text);
  if (target == "slurm_nodes") CheckNodes(text);
  if (target == "slurm_records") CheckRecords(text);
  if (target == "slurm_reservations") CheckReservations(text);
  if (target == "slurm_config") CheckConfig(text);
  if (target == "hostlist") CheckHostlist(text);
  return 0;
}
