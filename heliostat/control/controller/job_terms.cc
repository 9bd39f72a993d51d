#include "heliostat/control/controller/job_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

namespace heliostat::controller {

using cluster::ClusterJob;
using cluster::JobKey;
using cluster::JobState;

namespace {

// Of a job without a time limit and without a past that tells more.
constexpr Duration kUnknownLength = std::chrono::hours(24);

bool Waits(const ClusterJob& job) { return job.state == JobState::kWaiting || job.state == JobState::kHeld; }

// The largest default of the job's partitions: it may start in any of them.
double DefaultSlack(const ClusterJob& job, const Config& config) {
  double most = 0.0;
  for (const std::string& partition : job.partitions) {
    const auto own = config.partition_slack.find(partition);
    most = std::max(most, own == config.partition_slack.end() ? config.default_slack : own->second);
  }
  return job.partitions.empty() ? config.default_slack : most;
}

// How much later the job may start by its own comment.
void SetSlack(const ClusterJob& job, const Config& config, JobTerms& terms) {
  if (terms.untouched) return;
  std::optional<Duration> slack;
  if (!terms.wishes.slack_share && !terms.wishes.deadline) terms.default_share = DefaultSlack(job, config);
  const double share = terms.wishes.slack_share.value_or(terms.default_share);
  if (job.time_limit && share > 0.0) {
    slack = Duration{static_cast<std::int64_t>(std::floor(share * static_cast<double>(job.time_limit->count())))};
  }
  if (terms.wishes.deadline) {
    const Duration left = *terms.wishes.deadline - (terms.start + terms.length.highest());
    if (left <= Duration{0} && Waits(job)) {
      terms.deadline_flaw =
          fmt::format("its deadline {} leaves no time: it may run until {}", FormatInstant(*terms.wishes.deadline),
                      FormatInstant(terms.start + terms.length.highest()));
    }
    slack = std::min(slack.value_or(left), left);
  }
  terms.slack = std::max(Duration{0}, slack.value_or(Duration{0}));
  // The cluster cancels the job at that time, by its user's own wish.
  if (job.kill_at) {
    terms.slack = std::clamp(*job.kill_at - terms.start - terms.length.highest(), Duration{0}, terms.slack);
  }
}

JobTerms OwnTerms(const ClusterJob& job, Instant now, const Config& config, const LengthOf& length_of) {
  JobTerms terms;
  if (auto wishes = workload::ParseJobComment(job.comment)) {
    terms.wishes = *std::move(wishes);
  } else {
    terms.comment_flaw = wishes.error().Line();
  }
  const cluster::TouchRules rules{config.partitions, DefaultSlack(job, config)};
  terms.untouched = WhyUntouched(job, {terms.wishes.deadline, terms.wishes.slack_share}, rules);
  terms.length = length_of(job);
  terms.start = job.start.value_or(now);
  if (Waits(job)) {
    terms.start = std::max({terms.start, now, job.eligible.value_or(now)});
    terms.has_start = job.state != JobState::kHeld && (job.dependencies.empty() || job.start);
  }
  SetSlack(job, config, terms);
  return terms;
}

// The numbers in "afterok:17", "afterany:17_3(unfulfilled)".
std::optional<std::int64_t> NumberIn(const std::string& dependency) {
  const std::size_t colon = dependency.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const char* const begin = dependency.data() + colon + 1;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(begin, dependency.data() + dependency.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Gives every job at most the slack of the jobs that wait for it.
class Chains {
 public:
  Chains(const cluster::ClusterSnapshot& snapshot, std::map<JobKey, JobTerms>& terms) : terms_(terms) {
    for (const ClusterJob& job : snapshot.jobs) {
      if (job.state == JobState::kEnded) continue;
      for (const std::string& dependency : job.dependencies) {
        if (const auto number = NumberIn(dependency)) waiting_for_[*number].push_back(&job);
      }
    }
  }

  void Limit(const JobKey& key) {
    if (!visited_.insert(key).second) return;
    JobTerms& terms = terms_.at(key);
    const auto dependents = waiting_for_.find(key.number);
    if (dependents == waiting_for_.end()) return;
    for (const ClusterJob* const dependent : dependents->second) {
      if (dependent->key == key) continue;
      Limit(dependent->key);
      const Duration theirs = terms_.at(dependent->key).slack;
      if (theirs >= terms.slack) continue;
      terms.slack = theirs;
      terms.held_by = NumberText(dependent->key);
    }
  }

 private:
  std::map<JobKey, JobTerms>& terms_;
  std::map<std::int64_t, std::vector<const ClusterJob*>> waiting_for_;
  std::set<JobKey> visited_;
};

}  // namespace

job_length::Prediction PredictLength(const ClusterJob& job, const job_length::LengthModel& lengths) {
  if (const auto predicted = lengths.Predict(TraitsOf(job))) return *predicted;
  job_length::Prediction length;
  length.source = job_length::Source::kTimeLimit;
  length.quantiles.fill(job.time_limit.value_or(kUnknownLength));
  return length;
}

std::map<JobKey, JobTerms> TermsOf(const cluster::ClusterSnapshot& snapshot, const Config& config,
                                   const LengthOf& length_of) {
  std::map<JobKey, JobTerms> terms;
  for (const ClusterJob& job : snapshot.jobs) {
    if (job.state != JobState::kEnded) terms.emplace(job.key, OwnTerms(job, snapshot.time, config, length_of));
  }
  Chains chains(snapshot, terms);
  for (const auto& [key, own] : terms) chains.Limit(key);
  return terms;
}

job_length::JobTraits TraitsOf(const ClusterJob& job) {
  const int gpus = cluster::CountOf(job.gpus_allocated.empty() ? job.gpus_requested : job.gpus_allocated);
  return {job.user, job.account, job.name, gpus, job.time_limit};
}

std::optional<job_length::EndedJob> EndedJobOf(const ClusterJob& job) {
  if (!job.start || !job.end || *job.end <= *job.start) return std::nullopt;
  using cluster::JobEnd;
  job_length::EndedJob ended{TraitsOf(job), *job.end - *job.start, job_length::Ending::kCompleted};
  switch (job.end_kind.value_or(JobEnd::kOther)) {
    case JobEnd::kCompleted:
      ended.ending = job_length::Ending::kCompleted;
      break;
    case JobEnd::kTimeLimit:
      ended.ending = job_length::Ending::kTimedOut;
      break;
    case JobEnd::kCancelled:
      ended.ending = job_length::Ending::kCancelled;
      break;
    case JobEnd::kRequeued:
    case JobEnd::kPreempted:
      return std::nullopt;  // a part of a run
    default:
      ended.ending = job_length::Ending::kFailed;
      break;
  }
  return ended;
}

}  // namespace heliostat::controller
