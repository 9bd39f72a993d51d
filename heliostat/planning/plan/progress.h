#pragma once

#include <optional>
#include <vector>

#include "heliostat/planning/plan/plan.h"

namespace heliostat::plan {

// The part of a segment in which the job makes progress: its rest after resuming.
struct ProgressSpan {
  Interval span;
  double samples_per_s = 0.0;

  double samples() const { return samples_per_s * static_cast<double>(span.length().count()); }
};

// Whether a run of the job that begins at `begin` goes on with what ran before the plan.
bool GoesOn(const scenario::Job& job, std::size_t group, int workers, Instant begin);

// Computes how many of a segment's first seconds are lost to resuming, given the segments before it. A segment
// continues the former when it begins at its end, with as many workers in the same group. It then loses only the
// seconds for which the former was too short. Not thread-safe.
class ResumeDebt {
 public:
  explicit ResumeDebt(const scenario::Job& job);

  // The lost time of the next segment. Call with the segments of one job in order of time.
  Duration Pay(const Segment& segment, int workers);

 private:
  Duration resume_;
  Duration owed_{};
  bool started_ = false;
  Instant ended_;
  std::size_t group_ = 0;
  int workers_ = 0;
};

// The training points of a model in each group, looked up once. Refers to the site, which must outlive it. Immutable.
class TrainingTable {
 public:
  TrainingTable(const scenario::Site& site, const std::string& model);
  const std::vector<scenario::TrainingPoint>& In(std::size_t group) const { return *by_group_[group]; }
  // The group and the point must exist.
  const scenario::TrainingPoint& At(const Segment& segment) const;

 private:
  std::vector<const std::vector<scenario::TrainingPoint>*> by_group_;
};

// One per segment that makes progress, in order of time. `table` is that of the job's model.
std::vector<ProgressSpan> PiecesOf(const TrainingTable& table, const scenario::Job& job, const JobPlan& plan);
std::vector<ProgressSpan> PiecesOf(const scenario::Scenario& scenario, const scenario::Job& job, const JobPlan& plan);

// The second in which the job has made all its samples. Nothing if it does not.
std::optional<Instant> FinishOf(const scenario::Job& job, const std::vector<ProgressSpan>& pieces);

}  // namespace heliostat::plan
