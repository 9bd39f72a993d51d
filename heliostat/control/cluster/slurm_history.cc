#include "heliostat/control/cluster/slurm_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heliostat/base/io/hostlist.h"
#include "heliostat/base/io/number.h"
#include "heliostat/control/cluster/slurm_cells.h"

namespace heliostat::cluster {
namespace {

enum Column : std::size_t {
  kNumber,
  kRawNumber,
  kUser,
  kAccount,
  kPartition,
  kState,
  kSubmit,
  kEligible,
  kStart,
  kEnd,
  kElapsed,
  kTimeLimit,
  kNodeCount,
  kCpus,
  kNodes,
  kRequested,
  kAllocated,
  kPriority,
  kReservation,
  kName,
  kComment,
  kAdminComment,
  kColumns
};

constexpr std::array<std::string_view, kColumns> kFields{
    "JobID",     "JobIDRaw", "User",        "Account",   "Partition", "State",       "Submit",   "Eligible",
    "Start",     "End",      "ElapsedRaw",  "Timelimit", "NNodes",    "AllocCPUS",   "NodeList", "ReqTRES",
    "AllocTRES", "Priority", "Reservation", "JobName",   "Comment",   "AdminComment"};

using Row = std::vector<std::string_view>;

// Beside the states of the queue, accounts have runs of jobs that were requeued.
WrittenState StateIn(std::string_view cell) {
  if (cell == "REQUEUED") return {JobState::kEnded, JobEnd::kRequeued};
  return ParseState(cell);
}

// Nothing for a job that has not ended, and for a row that does not say which job it is about.
std::optional<ClusterJob> ParseRow(const Row& row, std::vector<std::string>& problems) {
  const auto number = ParseJobNumber(row[kNumber]);
  const auto run_number = ParseWhole(row[kRawNumber]);
  const auto submit = ParseEpoch(row[kSubmit]);
  if (!number || !run_number || !submit) {
    problems.push_back(fmt::format("sacct: a row has the number '{}' and the submit time '{}'; it is left out",
                                   Printable(row[kNumber], 40), Printable(row[kSubmit], 40)));
    return std::nullopt;
  }
  const WrittenState written = StateIn(row[kState]);
  const auto end = ParseEpoch(row[kEnd]);
  if (!end || written.state != JobState::kEnded) return std::nullopt;
  ClusterJob job;
  job.key = {number->element ? number->number : *run_number, number->element, *submit};
  job.run_number = *run_number;
  if (number->het_offset) job.het_leader = number->number;
  job.user = row[kUser];
  job.account = Present(row[kAccount]);
  job.name = row[kName];
  job.partitions = ParseList(row[kPartition]);
  job.reservation = Present(row[kReservation]);
  job.comment = Present(row[kComment]);
  job.admin_comment = Present(row[kAdminComment]);
  job.state = written.state;
  job.end_kind = written.end;
  job.eligible = ParseEpoch(row[kEligible]);
  job.start = ParseEpoch(row[kStart]);
  job.end = end;
  if (const auto elapsed = ParseWhole(row[kElapsed])) job.run_time = Duration{*elapsed};
  job.time_limit = ParseLimit(row[kTimeLimit]);
  job.node_count = std::max(0, io::ParseInteger(row[kNodeCount]).value_or(0));
  job.cpus = std::max(0, io::ParseInteger(row[kCpus]).value_or(0));
  job.gpus_requested = ParseGpus(row[kRequested]);
  job.gpus_allocated = ParseGpus(row[kAllocated]);
  job.priority = ParseWhole(row[kPriority]).value_or(0);
  // Never started: "None assigned".
  if (auto nodes = io::ExpandHostlist(row[kNodes] == "None assigned" ? "" : Present(row[kNodes])))
    job.nodes = std::move(*nodes);
  return job;
}

}  // namespace

std::string HistoryFields() { return fmt::format("{}", fmt::join(kFields, ",")); }

Result<ParsedJobs> ParseHistory(std::string_view text, std::string_view separator, const Interval& span) {
  const auto rows = SplitRows(text, separator, kColumns);
  if (!rows) return Fail(rows.error().code, "sacct, " + rows.error().where, rows.error().what);
  ParsedJobs parsed;
  for (const Row& row : *rows) {
    auto job = ParseRow(row, parsed.problems);
    if (job && span.Contains(*job->end)) parsed.jobs.push_back(std::move(*job));
  }
  std::stable_sort(parsed.jobs.begin(), parsed.jobs.end(),
                   [](const ClusterJob& a, const ClusterJob& b) { return *a.end < *b.end; });
  return parsed;
}

}  // namespace heliostat::cluster
