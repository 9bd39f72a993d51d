#pragma once

#include <optional>
#include <vector>

#include "heliostat/planning/plan/plan.h"

namespace heliostat::plan {

// A stretch of a segment in which the job makes progress: what is left of it when resuming is over.
struct ProgressSpan {
  Interval span;
  double samples_per_s = 0.0;

  double samples() const { return samples_per_s * static_cast<double>(span.length().count()); }
};

// How many of a segment's first seconds are lost to resuming, given the segments before it. A segment continues the
// former when it begins the second in which that ended, with as many workers in the same group: it owes nothing but
// what the former was too short to pay.
class ResumeDebt {
 public:
  explicit ResumeDebt(Duration resume) : resume_(resume) {}

  // Takes the job's segments in order of time.
  Duration Pay(const Segment& segment, int workers);

 private:
  Duration resume_;
  Duration owed_{};
  bool started_ = false;
  Instant ended_;
  std::size_t group_ = 0;
  int workers_ = 0;
};

// The points that a model may be trained at in each group, looked up once.
class TrainingTable {
 public:
  TrainingTable(const scenario::Site& site, const std::string& model);
  const std::vector<scenario::TrainingPoint>& In(std::size_t group) const { return *by_group_[group]; }
  const scenario::TrainingPoint& At(const Segment& segment) const;

 private:
  std::vector<const std::vector<scenario::TrainingPoint>*> by_group_;
};

// One for each segment that makes progress. `table` is that of the job's model.
std::vector<ProgressSpan> PiecesOf(const TrainingTable& table, const scenario::Job& job, const JobPlan& plan);
std::vector<ProgressSpan> PiecesOf(const scenario::Scenario& scenario, const scenario::Job& job, const JobPlan& plan);

// When the job has made all its samples, to the second in which it does; nothing if it never has.
std::optional<Instant> FinishOf(const scenario::Job& job, const std::vector<ProgressSpan>& pieces);

}  // namespace heliostat::plan
