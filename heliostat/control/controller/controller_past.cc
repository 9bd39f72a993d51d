// What a controller learns of jobs that the queue shows no longer.
#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/log.h"
#include "heliostat/control/controller/controller.h"

namespace heliostat::controller {

using cluster::ClusterJob;
using cluster::ClusterSnapshot;
using cluster::JobKey;
using cluster::JobState;

namespace {

// How much of the past teaches the lengths of jobs.
constexpr Duration kPast = std::chrono::hours(24 * 28);
// A look may be this late before jobs can have come and gone unseen.
constexpr Duration kShortGap = std::chrono::minutes(2);
// The accounts of the cluster may be this far behind its queue: it catches up after its database was away.
constexpr Duration kLag = std::chrono::minutes(10);
constexpr Duration kAskAgain = std::chrono::minutes(2);

bool Runs(JobState state) {
  return state == JobState::kRunning || state == JobState::kSuspended || state == JobState::kCompleting;
}

}  // namespace

void Controller::LearnPast(Instant now) {
  if (has_learned_past_ || facts_->accounting != cluster::Accounting::kDatabase) return;
  if (now >= ask_past_) {
    const auto past = parts_.cluster.History({now - kPast, now});
    ask_past_ = now + kLag;
    if (past) {
      LearnFrom(*past);
      return;
    }
    past_problem_ = "accounts of the cluster: " + past.error().Line() + "; jobs count as long as their time limits";
  }
  Tell(past_problem_);
}

void Controller::LearnFrom(const std::vector<ClusterJob>& past) {
  has_learned_past_ = true;
  std::size_t learned = 0;
  for (const ClusterJob& job : past) {
    const auto ended = EndedJobOf(job);
    if (!ended || cluster::CountOf(job.gpus_allocated) == 0) continue;
    // From what was known before it ended: so the model also learns how far it can be trusted.
    lengths_.Learn(*ended, lengths_.Predict(ended->traits));
    learned_until_ = std::max(learned_until_, *job.end);
    ++learned;
  }
  Log(LogLevel::kInfo, "learned the lengths of {} jobs of the last 28 days", learned);
}

// A requeue gives a job a new key. The accounts of the cluster have the end of its former run, but the queue tells it
// sooner: it is the new submit time.
void Controller::EndRequeued(const ClusterSnapshot& snapshot, std::set<JobKey>& missing) {
  for (const ClusterJob& job : snapshot.jobs) {
    if (job.restarts == 0) continue;
    for (auto before = missing.lower_bound({job.key.number, job.key.element, Instant{}}); before != missing.end();) {
      if (before->number != job.key.number || before->element != job.key.element) break;
      KnownJob& known = jobs_.at(*before);
      const bool is_former = before->submit < job.key.submit && Runs(known.job->state) && known.job->start;
      if (!is_former) {
        ++before;
        continue;
      }
      const Instant end = std::min(job.key.submit, snapshot.time);
      ClusterJob& former = known.job.Own();
      former.run_time = known.counted;
      if (former.state == JobState::kRunning)
        *former.run_time += std::max(Duration{0}, end - std::max(*looked_, *former.start));
      former.end = end;
      former.end_kind = cluster::JobEnd::kRequeued;
      former.state = JobState::kEnded;
      before = missing.erase(before);
    }
  }
}

// The accounts of the cluster since owed_from_, when it is time to ask for them.
std::vector<ClusterJob> Controller::AskOwed(Instant now) {
  if (!owed_from_ || facts_->accounting != cluster::Accounting::kDatabase) return {};
  std::vector<ClusterJob> past;
  if (now >= ask_owed_) {
    ask_owed_ = now + kAskAgain;
    auto answer = parts_.cluster.History({*owed_from_, now + Duration{1}});
    owed_problem_ = answer ? "" : "accounts of the cluster: " + answer.error().Line();
    if (answer && now >= owed_until_) owed_from_.reset();
    if (answer) past = *std::move(answer);
  }
  if (!owed_problem_.empty()) Tell(owed_problem_);
  return past;
}

std::vector<ClusterJob> Controller::EndedUnseen(const ClusterSnapshot& snapshot) {
  if (!looked_) return {};
  std::set<JobKey> missing;
  for (const auto& [key, known] : jobs_) {
    if (!known.job->end) missing.insert(key);
  }
  for (const ClusterJob& job : snapshot.jobs) missing.erase(job.key);
  EndRequeued(snapshot, missing);
  const bool is_late = snapshot.time - *looked_ > std::min(kShortGap, facts_->memory_of_ended / 2);
  if (is_late) owed_until_ = snapshot.time + kLag;
  // A job may have ended before the last look.
  if (is_late || !missing.empty()) owed_from_ = std::min(owed_from_.value_or(*looked_), *looked_ - kShortGap);
  std::vector<ClusterJob> unseen = AskOwed(snapshot.time);
  for (const ClusterJob& job : unseen) missing.erase(job.key);
  for (const JobKey& key : missing) {
    KnownJob& known = jobs_.at(key);
    if (!known.missing_since) known.missing_since = *looked_;
    const bool may_come = owed_from_ && (!owed_problem_.empty() || snapshot.time < *known.missing_since + kLag);
    if (may_come && facts_->accounting == cluster::Accounting::kDatabase) continue;
    // It has left the queue without a trace. A job that waited was cancelled.
    ClusterJob& gone = known.job.Own();
    if (!Runs(gone.state)) gone.start.reset();
    gone.end = std::min(snapshot.time, *known.missing_since);
    gone.run_time = known.counted;
    gone.state = JobState::kEnded;
    known.is_guess = true;
  }
  return unseen;
}

// Whether this is a job to follow. Nothing that ended before the accounts began, or whose accounts are complete.
bool Controller::IsNew(const ClusterJob& job) {
  const bool has_ended = job.state == JobState::kEnded;
  if (has_ended && (!accounts_ || !job.end || *job.end < accounts_->begin())) return false;
  for (const StateChange::Job& archived : archived_) {
    if (archived.key == job.key) return false;  // it could not be saved yet
  }
  const auto is_complete = parts_.store.HasEnded(job.key);
  if (!is_complete) Tell("state: " + is_complete.error().Line());
  if (is_complete && *is_complete && !has_ended) TellReturned(job, "");
  return !is_complete || !*is_complete;
}

// A controller of the cluster that crashed forgets the ends of its last seconds.
void Controller::TellReturned(const ClusterJob& job, const std::string& end) {
  Tell(fmt::format("job {}: has ended{}, and the queue shows it as {} again; it counts until its end",
                   NumberText(job.key), end, NameOf(job.state)));
}

// Keeps every job that waits or runs, and takes over the ends of those that were known.
void Controller::TakeJobs(ClusterSnapshot& snapshot, std::vector<ClusterJob> unseen) {
  auto terms = TermsOf(snapshot, config_, [this](const ClusterJob& job) { return LengthOf(job); });
  const auto take = [&](ClusterJob& job, bool is_shown) {
    if (!jobs_.contains(job.key) && !IsNew(job)) return;
    KnownJob& known = jobs_[job.key];
    if (is_shown) known.shown = snapshot.time;
    if (known.job->end && known.is_learned && !known.is_guess) {
      if (job.state != JobState::kEnded) TellReturned(job, " at " + FormatInstant(*known.job->end));
      return;
    }
    known.missing_since.reset();
    known.is_guess = false;
    // Of a job that was cancelled before its start, Slurm says that it began at its end.
    if (job.state == JobState::kEnded && job.nodes.empty()) job.start.reset();
    // The run time of a job that was never suspended says no more than its start, and would differ at each look.
    if (job.run_time && job.start && !job.end && *job.run_time >= snapshot.time - *job.start) job.run_time.reset();
    if (const auto own = terms.find(job.key); own != terms.end()) {
      known.terms.Set(std::move(own->second));
      if (!known.length) known.length = known.terms->length;
      terms.erase(own);  // the accounts may have the job, too
    }
    known.job.Set(std::move(job));
  };
  for (ClusterJob& job : snapshot.jobs) take(job, true);
  for (ClusterJob& job : unseen) take(job, false);
  snapshot.jobs = {};
}

}  // namespace heliostat::controller
