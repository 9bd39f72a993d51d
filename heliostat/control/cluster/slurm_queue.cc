#include "heliostat/control/cluster/slurm_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "heliostat/base/io/hostlist.h"
#include "heliostat/base/io/number.h"
#include "heliostat/control/cluster/slurm_cells.h"

namespace heliostat::cluster {
namespace {

enum Column : std::size_t {
  kNumber,
  kArrayNumber,
  kHetNumber,
  kUser,
  kAccount,
  kPartition,
  kState,
  kReason,
  kSubmit,
  kEligible,
  kStart,
  kEnd,
  kDeadline,
  kTimeLimit,
  kTimeUsed,
  kNodeCount,
  kCpus,
  kTasks,
  kNodes,
  kTres,
  kPerJob,
  kPerNode,
  kPerTask,
  kPerSocket,
  kSharing,
  kIsBatch,
  kRequeue,
  kRestarts,
  kReservation,
  kDependency,
  kPriority,
  kNice,
  kName,
  kComment,
  kAdminComment,
  kColumns
};

// By column. Tested on 22.05, 24.11 and 26.05.
constexpr std::array<std::string_view, kColumns> kFields{
    "JobID",         "JobArrayID",    "HetJobID",        "UserName",      "Account",   "Partition",  "State",
    "Reason",        "SubmitTime",    "EligibleTime",    "StartTime",     "EndTime",   "Deadline",   "TimeLimit",
    "TimeUsed",      "NumNodes",      "NumCPUs",         "NumTasks",      "NodeList",  "tres-alloc", "tres-per-job",
    "tres-per-node", "tres-per-task", "tres-per-socket", "OverSubscribe", "BatchFlag", "Requeue",    "RestartCnt",
    "Reservation",   "Dependency",    "PriorityLong",    "Nice",          "Name",      "Comment",    "admin_comment"};

using Row = std::vector<std::string_view>;

int CountIn(std::string_view cell) { return std::max(0, io::ParseInteger(cell).value_or(0)); }

bool HasNodes(JobState state) {
  return state == JobState::kStarting || state == JobState::kRunning || state == JobState::kSuspended ||
         state == JobState::kCompleting || state == JobState::kEnded;
}

GpusByType RequestedGpus(const Row& row, int nodes) {
  if (auto gpus = ParseGpus(row[kPerJob]); !gpus.empty()) return gpus;
  if (auto gpus = ParseGpus(row[kPerNode]); !gpus.empty()) return Times(std::move(gpus), nodes);
  if (auto gpus = ParseGpus(row[kPerTask]); !gpus.empty()) return Times(std::move(gpus), CountIn(row[kTasks]));
  // The number of sockets is known only when it runs: at least one per node.
  if (auto gpus = ParseGpus(row[kPerSocket]); !gpus.empty()) return Times(std::move(gpus), nodes);
  return ParseGpus(row[kTres]);
}

void ReadState(const Row& row, ClusterJob& job, std::vector<std::string>& problems) {
  const WrittenState written = ParseState(row[kState]);
  job.state = written.state;
  job.end_kind = written.end;
  job.reason = Present(row[kReason]);
  // Slurm gives a held job no priority, whether its user or an operator holds it.
  if (job.state == JobState::kWaiting && row[kPriority] == "0") job.state = JobState::kHeld;
  if (job.state == JobState::kUnknown) {
    problems.push_back(fmt::format("job {}: its state '{}' is not known; it is left alone", NumberText(job.key),
                                   Printable(row[kState], 40)));
  }
}

void ReadTimes(const Row& row, ClusterJob& job) {
  job.eligible = ParseEpoch(row[kEligible]);
  job.start = ParseEpoch(row[kStart]);
  if (job.state == JobState::kEnded) job.end = ParseEpoch(row[kEnd]);
  job.kill_at = ParseEpoch(row[kDeadline]);
  job.time_limit = ParseLimit(row[kTimeLimit]);
  if (HasNodes(job.state)) job.run_time = ParseLimit(row[kTimeUsed]);
}

void ReadResources(const Row& row, ClusterJob& job, std::vector<std::string>& problems) {
  job.node_count = CountIn(row[kNodeCount]);
  job.cpus = CountIn(row[kCpus]);
  job.is_exclusive = row[kSharing] == "NO";
  job.gpus_requested = RequestedGpus(row, job.node_count);
  if (!HasNodes(job.state)) return;
  auto nodes = io::ExpandHostlist(Present(row[kNodes]));
  if (nodes) {
    job.nodes = std::move(*nodes);
  } else {
    problems.push_back(fmt::format("job {}: {}", NumberText(job.key), nodes.error().Line()));
  }
  if (job.nodes.empty()) return;  // cancelled before its start
  job.gpus_allocated = ParseGpus(row[kTres]);
  if (job.gpus_allocated.empty()) job.gpus_allocated = job.gpus_requested;
}

// Nothing for a row that does not say which job it is about.
std::optional<ClusterJob> ParseRow(const Row& row, std::vector<std::string>& problems) {
  const auto run_number = ParseWhole(row[kNumber]);
  const auto number = ParseJobNumber(row[kArrayNumber]);
  const auto submit = ParseEpoch(row[kSubmit]);
  if (!run_number || !number || !submit) {
    problems.push_back(fmt::format("squeue: a row has the number '{}' and the submit time '{}'; it is left out",
                                   Printable(row[kArrayNumber], 40), Printable(row[kSubmit], 40)));
    return std::nullopt;
  }
  ClusterJob job;
  job.key = {number->element ? number->number : *run_number, number->element, *submit};
  job.run_number = *run_number;
  if (number->het_offset) job.het_leader = number->number;
  if (const auto leader = ParseWhole(Present(row[kHetNumber])); leader && *leader != 0) job.het_leader = *leader;
  job.restarts = CountIn(row[kRestarts]);
  job.user = row[kUser];
  job.account = Present(row[kAccount]);
  job.name = row[kName];
  job.partitions = ParseList(row[kPartition]);
  job.reservation = Present(row[kReservation]);
  job.comment = Present(row[kComment]);
  job.admin_comment = Present(row[kAdminComment]);
  ReadState(row, job, problems);
  job.dependencies = ParseDependencies(row[kDependency]);
  ReadTimes(row, job);
  ReadResources(row, job, problems);
  job.is_interactive = row[kIsBatch] == "0";
  job.may_requeue = row[kRequeue] == "1";
  job.priority = ParseWhole(row[kPriority]).value_or(0);
  job.nice = io::ParseInteger(row[kNice]).value_or(0);
  return job;
}

}  // namespace

std::string QueueFormat(std::string_view separator) {
  std::string format;
  for (const std::string_view field : kFields) {
    format += fmt::format("{}{}:{}", format.empty() ? "" : ",", field, separator);
  }
  return format;
}

Result<ParsedJobs> ParseQueue(std::string_view text, std::string_view separator) {
  RowReader rows(text, separator, kColumns);
  ParsedJobs parsed;
  // At least as many lines as rows: users may write line ends, too.
  parsed.jobs.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')));
  std::set<JobKey> seen;
  while (true) {
    const auto row = rows.Next();
    if (!row) return Fail(row.error().code, "squeue, " + row.error().where, row.error().what);
    if (*row == nullptr) return parsed;
    auto job = ParseRow(**row, parsed.problems);
    if (!job) continue;
    if (!seen.insert(job->key).second) {
      parsed.problems.push_back(fmt::format("job {}: is listed twice; the second is left out", NumberText(job->key)));
      continue;
    }
    parsed.jobs.push_back(std::move(*job));
  }
}

}  // namespace heliostat::cluster
