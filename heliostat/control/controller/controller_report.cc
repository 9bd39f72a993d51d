// What a controller publishes.
#include <fmt/format.h>

#include <algorithm>

#include "heliostat/control/cluster_account/accounts.h"
#include "heliostat/control/controller/controller.h"

namespace heliostat::controller {

using cluster::ClusterJob;
using cluster::JobState;

void Controller::Publish(Seconds cycle) {
  auto report = std::make_shared<Report>();
  report->mode = mode_;
  report->policy = config_.policy;
  report->begun = begun_;
  report->last_cycle = cycle;
  report->currency = currency_ ? std::string(currency_->code()) : "";
  if (facts_) {
    report->cluster = facts_->name;
    report->version = facts_->kind + " " + facts_->version;
    report->private_data = facts_->private_data;
  } else if (const auto last = this->report(); last) {
    report->cluster = last->cluster;
    report->version = last->version;
    report->private_data = last->private_data;
  }
  report->is_healthy = facts_.has_value() && problems_.empty() && looked_.has_value();
  report->problems = problems_;
  for (const std::string& problem : outlook_.Problems()) report->problems.push_back(problem);
  for (const std::string& remark : groups_.remarks()) report->problems.push_back(remark);
  if (looked_) report->looked = *looked_;
  if (accounts_) {
    const account::Supply now = outlook_.SupplyOf(accounts_->OpenSlot());
    report->used = cluster_account::Sum(accounts_->closed(), accounts_->Open(now));
    report->unused = accounts_->Unused(now);
    report->carbon = outlook_.carbon();
    report->ahead = ahead_;
    if (shadow_) report->shadow = shadow_->Report(costs_, groups_);
    ReportJobs(*report);
    ReportNodes(*report);
    ReportPast(*report);
  }
  const std::lock_guard lock(mutex_);
  report_ = std::move(report);
}

void Controller::ReportJobs(Report& report) const {
  const auto used = accounts_->OfAll(outlook_.SupplyOf(accounts_->OpenSlot()));
  for (const auto& [key, known] : jobs_) {
    JobReport& job = report.jobs.emplace_back(JobReport{known.job, known.terms});
    if (const auto found = used.find(key); found != used.end()) job.used = found->second;
    if (shadow_) job.twin = shadow_->Of(key);
    if (job.twin) {
      job.moved = MoveOf(known, *job.twin);
      job.late = LateOf(known, *job.twin);
    }
    const bool waits = known.job->state == JobState::kWaiting || known.job->state == JobState::kHeld;
    const int gpus = cluster::CountOf(known.job->gpus_requested);
    const JobTerms& terms = *known.terms;
    if (!waits || gpus == 0 || !terms.may_wait() || !terms.has_start || !costs_.is_known()) continue;
    const Duration length = terms.length.median();
    job.best_start = costs_.BestStart(terms.start, terms.LatestStart(), length);
    // Its GPUs alone; which of the groups will have it is not known yet, so the first counts.
    if (groups_.groups().empty()) continue;
    const NodeGroup& group = groups_.groups().front();
    const Watts power = (group.gpu_busy - group.group.gpu_idle) * gpus;
    const auto now = costs_.Of({terms.start, terms.start + length}, power);
    const auto best = costs_.Of({*job.best_start, *job.best_start + length}, power);
    job.best_saves = now.carbon - best.carbon;
    job.best_saves_cost = now.cost - best.cost;
  }
}

void Controller::ReportNodes(Report& report) const {
  const auto spans = groups_.Spans(snapshot_);
  for (std::size_t n = 0; n < snapshot_.nodes.size(); ++n) {
    const cluster::ClusterNode& node = snapshot_.nodes[n];
    const auto& power = spans[n].power;
    const int busy = std::min(cluster::CountOf(node.gpus_in_use), spans[n].gpus);
    Watts now = power.base + power.gpu_idle * (spans[n].gpus - busy) + power.gpu_busy * busy;
    if (spans[n].is_off) now = power.sleep;
    const auto group = groups_.Of(node.name);
    const auto used = of_nodes_.find(node.name);
    report.nodes.push_back({node, group ? groups_.groups()[*group].group.name : "", now,
                            used == of_nodes_.end() ? Joules{} : used->second});
    report.power += now;
  }
}

}  // namespace heliostat::controller
