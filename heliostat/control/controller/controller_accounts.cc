// How a controller turns looks at the cluster into accounts.
#include <algorithm>

#include "heliostat/base/core/log.h"
#include "heliostat/control/controller/answers.h"
#include "heliostat/control/controller/controller.h"

namespace heliostat::controller {

using cluster::ClusterJob;
using cluster::ClusterSnapshot;
using cluster::JobState;
using cluster_account::JobSpan;
using cluster_account::NodeSpan;

namespace {

// Whether a job has had GPUs to use. One that starts has not begun.
bool HasRun(const ClusterJob& job) {
  const bool has_begun = job.state == JobState::kRunning || job.state == JobState::kCompleting ||
                         job.state == JobState::kSuspended || job.state == JobState::kEnded;
  return has_begun && job.start.has_value();
}

// The GPUs of a job on each of its nodes: the cluster tells the sum, and the nodes are alike.
std::vector<cluster_account::GpusOnNode> ShareOut(const ClusterJob& job,
                                                  const std::map<std::string, std::size_t>& nodes) {
  const int gpus = cluster::CountOf(job.gpus_allocated);
  const auto count = static_cast<int>(job.nodes.size());
  std::vector<cluster_account::GpusOnNode> on;
  for (int n = 0; n < count; ++n) {
    const auto node = nodes.find(job.nodes[static_cast<std::size_t>(n)]);
    const int here = gpus / count + (n < gpus % count ? 1 : 0);
    if (node != nodes.end() && here > 0) on.push_back({node->second, here});
  }
  return on;
}

}  // namespace

// The cluster knows how long a job has run, without the time for which it was suspended. What was counted before is
// subtracted, so that nothing is lost or counted twice, however looks fall between starts, suspensions and ends.
std::vector<JobSpan> Controller::TakeRuns(const ClusterSnapshot& snapshot) {
  std::map<std::string, std::size_t> nodes;
  for (std::size_t n = 0; n < snapshot.nodes.size(); ++n) nodes.emplace(snapshot.nodes[n].name, n);
  std::vector<JobSpan> runs;
  for (auto& [key, known] : jobs_) {
    const ClusterJob& job = *known.job;
    if (!HasRun(job)) continue;
    // After a crash a cluster may start a job anew that it has forgotten to have started.
    if (known.counted_start != job.start) known.counted = Duration{0};
    known.counted_start = job.start;
    const Instant end = job.end.value_or(snapshot.time);
    const Duration ran = std::min(job.run_time.value_or(end - *job.start), end - *job.start);
    const Duration left = ran - known.counted;
    if (left <= Duration{0}) continue;
    known.counted = ran;
    // A suspended job ran first.
    const bool has_stopped = job.state == JobState::kSuspended;
    const Instant begin = has_stopped ? std::min(std::max(accounts_->until(), *job.start), end - left) : end - left;
    runs.push_back({key, {begin, begin + left}, ShareOut(job, nodes), true});
  }
  return runs;
}

// A node that was on and is off, or the reverse, has turned in the middle: that is right on average. It was on while a
// job ran there.
std::vector<NodeSpan> Controller::NodesUntil(const ClusterSnapshot& snapshot, const std::vector<JobSpan>& runs) const {
  std::vector<NodeSpan> nodes = groups_.Spans(snapshot);
  const Instant until = accounts_->until();
  bool has_turned = false;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto before = was_off_.find(snapshot.nodes[n].name);
    if (before == was_off_.end() || before->second == nodes[n].is_off) continue;
    nodes[n].is_off = before->second;
    nodes[n].turns = until + (snapshot.time - until) / 2;
    has_turned = true;
  }
  if (!has_turned) return nodes;
  for (const JobSpan& run : runs) {
    for (const auto& part : run.on) {
      NodeSpan& node = nodes[part.node];
      if (node.turns)
        node.turns = node.is_off ? std::min(*node.turns, run.span.begin) : std::max(*node.turns, run.span.end);
    }
  }
  return nodes;
}

void Controller::Account(const ClusterSnapshot& snapshot) {
  if (!accounts_) {
    accounts_.emplace(snapshot.time, config_.step);
    (void)TakeRuns(snapshot);  // of before
  }
  const std::vector<JobSpan> runs = TakeRuns(snapshot);
  const std::vector<NodeSpan> nodes = NodesUntil(snapshot, runs);
  const auto of_nodes =
      accounts_->Advance(snapshot.time, nodes, runs, [this](const Interval& slot) { return outlook_.SupplyOf(slot); });
  for (std::size_t n = 0; n < nodes.size(); ++n) of_nodes_[snapshot.nodes[n].name] += of_nodes[n];
  StepShadow(snapshot, nodes, runs);
  was_off_.clear();
  for (const cluster::ClusterNode& node : snapshot.nodes) was_off_[node.name] = IsOff(node.state);
  Remember(snapshot.time);
  LookAhead();
}

void Controller::LookAhead() {
  const Interval slot = accounts_->OpenSlot();
  if (costs_slot_ == slot.begin) return;
  costs_slot_ = slot.begin;
  const policy::Forecast ahead = outlook_.Ahead();
  costs_ = SlotCosts(ahead, slot.begin, config_.step, config_.pue);
  ahead_.clear();
  for (std::size_t s = 0; s < ahead.slots(); ++s) {
    const auto price = ahead.price_per_kwh.empty() ? std::nullopt : std::optional(ahead.price_per_kwh[s]);
    ahead_.push_back(
        {slot.begin + config_.step * static_cast<std::int64_t>(s), ahead.carbon[s], ahead.renewable[s], price});
  }
}

Status Controller::RestoreShadow() {
  auto shadow = Shadow::Make(config_, accounts_->until(), facts_->power_saving.is_on(), outlook_);
  if (!shadow) return Propagate(shadow);
  if (has_kept_shadow_) {
    const auto load = [this](const std::string& part) { return parts_.store.LoadPart(part); };
    if (const Status bad = (*shadow)->Restore(load); !bad) {
      Tell("the shadow begins anew: " + bad.error().Line());
      history_.Reset();
      shadow = Shadow::Make(config_, accounts_->until(), facts_->power_saving.is_on(), outlook_);
      if (!shadow) return Propagate(shadow);
    }
  }
  shadow_ = *std::move(shadow);
  has_kept_shadow_ = false;
  return {};
}

void Controller::StepShadow(const ClusterSnapshot& snapshot, const std::vector<NodeSpan>& nodes,
                            const std::vector<JobSpan>& spans) {
  if (mode_ != Mode::kShadow) return;
  if (!shadow_) {
    if (const Status bad = RestoreShadow(); !bad) return Tell("shadow: " + bad.error().Line());
  }
  std::vector<StartedJob> jobs;
  for (const auto& [key, known] : jobs_) {
    const ClusterJob& job = *known.job;
    const auto group = groups_.OfAll(job.nodes);
    const int gpus = cluster::CountOf(job.gpus_allocated);
    if (!HasRun(job) || !group || gpus == 0) continue;
    StartedJob& started = jobs.emplace_back();
    started = {key, job.user, *group, gpus, *job.start, job.end, {}, {}, false};
    started.length = known.length ? known.length->median() : job.time_limit.value_or(Duration{3600});
    if (known.terms->may_wait()) started.slack = known.terms->slack;
    started.may_requeue = known.terms->wishes.may_requeue && job.may_requeue;
  }
  shadow_->Step(groups_, snapshot, jobs, nodes, spans);
}

void Controller::LearnEnds() {
  std::vector<KnownJob*> ended;
  for (auto& [key, known] : jobs_) {
    if (known.job->end && !known.is_learned) ended.push_back(&known);
  }
  std::sort(ended.begin(), ended.end(),
            [](const KnownJob* a, const KnownJob* b) { return *a->job->end < *b->job->end; });
  for (KnownJob* const known : ended) {
    known->is_learned = true;
    const auto job = EndedJobOf(*known->job);
    if (!job || cluster::CountOf(known->job->gpus_allocated) == 0 || *known->job->end <= learned_until_) continue;
    lengths_.Learn(*job, known->length);
  }
}

// A job whose last slot is over has used what it has used.
void Controller::ArchiveEnded() {
  if (!accounts_) return;
  std::erase_if(jobs_, [this](const auto& entry) {
    const auto& [key, known] = entry;
    if (!known.job->end || accounts_->IsOpen(key)) return false;
    JobReport report{known.job, known.terms, accounts_->Of(key, {})};
    if (shadow_) report.twin = shadow_->Of(key);
    const bool waits_on_twin = report.twin && !report.twin->end;
    // While the queue shows it, it would be looked up in the state at each look.
    if (waits_on_twin || known.shown == looked_) return false;
    if (report.twin) {
      report.moved = MoveOf(known, *report.twin);
      report.late = LateOf(known, *report.twin);
    }
    CountEnded(report);
    const auto saved = report.moved ? report.moved->saved_carbon : std::nullopt;
    archived_.push_back({key, known.job->user, *known.job->end, ArchiveOf(report), saved, report.late});
    accounts_->Forget(key);
    return true;
  });
}

}  // namespace heliostat::controller
