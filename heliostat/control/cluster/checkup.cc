#include "heliostat/control/cluster/checkup.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/time.h"
#include "heliostat/base/io/hostlist.h"
#include "heliostat/control/cluster/node_classes.h"
#include "heliostat/model/workload/job_comment.h"

namespace heliostat::cluster {
namespace {

// Clocks of hosts that agree to this are as good as equal.
constexpr Duration kClocksAgree{5};

// From one look of a controller to the next, at most.
constexpr Duration kLongestPause{300};

using Findings = std::vector<Finding>;

std::string Count(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

bool Contains(const std::vector<std::string>& items, std::string_view item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

void CheckVersion(const ClusterFacts& facts, Findings& findings) {
  const std::string what =
      fmt::format("{} {} '{}', controller {}", facts.kind, facts.version, facts.name, facts.controller);
  const bool is_tested =
      facts.version.starts_with("22.05") || facts.version.starts_with("24.11") || facts.version.starts_with("26.05");
  if (is_tested) {
    findings.push_back({"cluster", Health::kOk, what, ""});
  } else {
    findings.push_back({"cluster", Health::kNote,
                        what + ": a release that was not tested (22.05, 24.11 and 26.05 were)",
                        "compare `heliostat cluster jobs` with squeue"});
  }
}

void CheckNodes(const ClusterSnapshot& snapshot, Findings& findings) {
  std::size_t with_gpus = 0;
  std::size_t gpus = 0;
  std::vector<std::string> mixed;
  std::vector<std::string> down;
  for (const ClusterNode& node : snapshot.nodes) {
    with_gpus += node.gpus.empty() ? 0 : 1;
    gpus += static_cast<std::size_t>(CountOf(node.gpus));
    if (node.gpus.size() > 1) mixed.push_back(node.name);
    if (node.state == NodeState::kDown) down.push_back(node.name);
  }
  if (with_gpus == 0) {
    findings.push_back(
        {"nodes", Health::kProblem,
         Count(snapshot.nodes.size(), "node") + ", none with GPUs: there is nothing to account or to plan",
         "name the GPUs in slurm.conf (GresTypes=gpu, Gres=gpu:TYPE:COUNT) and gres.conf"});
    return;
  }
  findings.push_back({"nodes", Health::kOk,
                      fmt::format("{} with {}, {} without", Count(with_gpus, "node"), Count(gpus, "GPU"),
                                  snapshot.nodes.size() - with_gpus),
                      ""});
  for (const NodeClass& group : GroupsFrom(snapshot)) {
    if (group.has_watts) continue;
    findings.push_back({"GPUs", Health::kNote,
                        fmt::format("'{}' of nodes {} is not in the built-in library: its energy counts as 0",
                                    group.group.gpu, io::CompressHosts(group.nodes)),
                        "describe these nodes in [[groups]], with their watts"});
  }
  if (!mixed.empty()) {
    findings.push_back(
        {"GPUs", Health::kNote, "nodes with GPUs of several types are not accounted: " + io::CompressHosts(mixed), ""});
  }
  if (!down.empty()) {
    findings.push_back({"nodes", Health::kNote, "down: " + io::CompressHosts(down), "sinfo -R tells why"});
  }
}

void CheckAccounting(const ClusterFacts& facts, Findings& findings) {
  if (facts.accounting != Accounting::kDatabase) {
    findings.push_back(
        {"accounting", Health::kNote,
         "no database: lengths of jobs come from their time limits, and jobs that end while heliostatctld is "
         "down are missed",
         "AccountingStorageType=accounting_storage/slurmdbd"});
    if (facts.memory_of_ended < kLongestPause) {
      findings.push_back(
          {"accounting", Health::kNote,
           fmt::format("the queue forgets jobs {} after their end: poll_seconds has to be shorter, or some are missed",
                       FormatDuration(facts.memory_of_ended)),
           "MinJobAge=300"});
    }
    return;
  }
  findings.push_back({"accounting", Health::kOk, "slurmdbd: lengths of jobs are learned from it", ""});
  if (!facts.accounts_gpus) {
    findings.push_back({"accounting", Health::kProblem,
                        "GPUs are not accounted: whose they were is known only while a job runs",
                        "AccountingStorageTRES=gres/gpu"});
  }
  if (!facts.keeps_comments) {
    findings.push_back({"accounting", Health::kNote,
                        "comments of jobs are not kept: scenarios of the past cannot see what users allowed",
                        "AccountingStoreFlags=job_comment"});
  }
}

void CheckRights(const ClusterFacts& facts, Findings& findings) {
  if (Contains(facts.private_data, "jobs") || Contains(facts.private_data, "nodes")) {
    findings.push_back({"rights", Health::kNote,
                        fmt::format("PrivateData={}: only operators see all of it", fmt::join(facts.private_data, ",")),
                        "run heliostatctld as root, or as a user with AdminLevel=Operator (sacctmgr modify user)"});
  } else {
    findings.push_back({"rights", Health::kOk, "every user sees all jobs and nodes", ""});
  }
}

void CheckPowerSaving(const ClusterFacts& facts, Findings& findings) {
  const PowerSaving& saving = facts.power_saving;
  if (!saving.is_on()) {
    findings.push_back({"power saving", Health::kNote, "off: idle nodes stay on, and the shadow lets none sleep",
                        "SuspendProgram, ResumeProgram and SuspendTime in slurm.conf"});
    return;
  }
  std::string what = fmt::format("on: idle nodes fall asleep after {}, and wake within {}",
                                 FormatDuration(*saving.idle_time), FormatDuration(saving.resume_timeout));
  if (!saving.excluded_nodes.empty()) what += fmt::format("; never {}", fmt::join(saving.excluded_nodes, ","));
  findings.push_back({"power saving", Health::kOk, what, ""});
}

// Settings that matter once jobs are delayed, suspended or requeued.
void CheckForActing(const ClusterFacts& facts, Findings& findings) {
  if (!Contains(facts.priority_flags, "ACCRUE_ALWAYS") && facts.priority_type == "priority/multifactor") {
    findings.push_back({"priority", Health::kNote, "jobs that are held or begin later do not age meanwhile",
                        "PriorityFlags=ACCRUE_ALWAYS, before a mode that lets jobs wait"});
  }
  if (facts.scheduler_type != "sched/backfill") {
    findings.push_back({"scheduler", Health::kNote,
                        facts.scheduler_type + ": expected starts of waiting jobs are not known",
                        "SchedulerType=sched/backfill"});
  }
  if (!facts.requeues_by_default) {
    findings.push_back({"requeue", Health::kNote, "jobs are not requeued unless they ask (JobRequeue=0)", ""});
  }
  if (facts.credential_life > std::chrono::minutes(1)) {
    findings.push_back(
        {"requeue", Health::kNote,
         fmt::format("a requeued job starts again after {} at the earliest", FormatDuration(facts.credential_life)),
         "AuthInfo=cred_expire=… makes it shorter"});
  }
  if (facts.preempt_type != "preempt/none" && !facts.preempt_type.empty()) {
    findings.push_back(
        {"preemption", Health::kNote,
         fmt::format("{} with {}: the cluster itself may stop jobs", facts.preempt_type, facts.preempt_mode), ""});
  }
}

void CheckClocks(const ClusterSnapshot& snapshot, Findings& findings) {
  Duration ahead{0};
  for (const ClusterJob& job : snapshot.jobs) ahead = std::max(ahead, job.key.submit - snapshot.time);
  if (ahead > kClocksAgree) {
    findings.push_back(
        {"clocks", Health::kProblem,
         fmt::format("jobs were submitted {} in the future: the clocks of this host and of the cluster differ",
                     FormatDuration(ahead)),
         "run chrony or ntpd on both"});
  }
}

void CheckJobs(const ClusterSnapshot& snapshot, Findings& findings) {
  std::size_t in_queue = 0;
  std::size_t allows = 0;
  std::vector<std::string> wrong;
  for (const ClusterJob& job : snapshot.jobs) {
    // The queue shows jobs for some minutes after their end.
    if (job.state == JobState::kEnded) continue;
    ++in_queue;
    if (!workload::HasHeliostatPart(job.comment)) continue;
    if (workload::ParseJobComment(job.comment)) {
      ++allows;
    } else {
      wrong.push_back(NumberText(job.key));
    }
  }
  findings.push_back({"jobs", Health::kOk,
                      fmt::format("{} in the queue; the comments of {} say what they allow", in_queue, allows), ""});
  if (wrong.empty()) return;
  wrong.resize(std::min<std::size_t>(wrong.size(), 10));
  findings.push_back({"jobs", Health::kNote, fmt::format("comments that cannot be read: {}", fmt::join(wrong, ", ")),
                      "`heliostat cluster why JOB` tells what is wrong; `heliostat submit` writes right ones"});
}

}  // namespace

Findings Checkup(const ClusterFacts& facts, const ClusterSnapshot& snapshot) {
  Findings findings;
  CheckVersion(facts, findings);
  CheckNodes(snapshot, findings);
  CheckJobs(snapshot, findings);
  CheckAccounting(facts, findings);
  CheckRights(facts, findings);
  CheckPowerSaving(facts, findings);
  CheckForActing(facts, findings);
  CheckClocks(snapshot, findings);
  for (const std::string& problem : snapshot.problems) findings.push_back({"answer", Health::kNote, problem, ""});
  return findings;
}

}  // namespace heliostat::cluster
