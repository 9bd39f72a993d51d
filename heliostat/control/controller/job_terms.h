#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "heliostat/control/cluster/cluster.h"
#include "heliostat/control/cluster/touchable.h"
#include "heliostat/control/controller/config.h"
#include "heliostat/forecasting/job_length/length_model.h"
#include "heliostat/model/workload/job_comment.h"

namespace heliostat::controller {

// What is known of a job beside what the cluster says: what its user allows and how long it may run.
struct JobTerms {
  workload::JobComment wishes{};
  std::string comment_flaw{};  // single line: why the comment cannot be read; it counts as saying nothing
  std::optional<cluster::Untouched> untouched{};
  job_length::Prediction length{};
  Instant start;                // of a job that waits: when the cluster would start it, at the earliest
  bool has_start = true;        // false: a hold or other jobs decide about the start, and nothing is known of it
  Duration slack{0};            // how much later than `start` it may start
  std::string held_by{};        // the job that depends on this one and leaves it less slack; empty: none
  double default_share = 0.0;   // slack that the config gives it, because it says nothing
  std::string deadline_flaw{};  // single line: why its deadline leaves it no slack; empty: it does

  bool may_wait() const { return slack > Duration{0}; }
  Instant LatestStart() const { return start + slack; }
  friend bool operator==(const JobTerms&, const JobTerms&) = default;
};

// How long a job will run. A job of which nothing is known gets its time limit, else a day.
job_length::Prediction PredictLength(const cluster::ClusterJob& job, const job_length::LengthModel& lengths);

using LengthOf = std::function<job_length::Prediction(const cluster::ClusterJob&)>;
// The terms of every job of the snapshot that has not ended.
std::map<cluster::JobKey, JobTerms> TermsOf(const cluster::ClusterSnapshot& snapshot, const Config& config,
                                            const LengthOf& length_of);

// What the lengths of jobs are learned from.
job_length::JobTraits TraitsOf(const cluster::ClusterJob& job);
// Nothing for a job that has not run.
std::optional<job_length::EndedJob> EndedJobOf(const cluster::ClusterJob& job);

}  // namespace heliostat::controller
