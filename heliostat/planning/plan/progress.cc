#include "heliostat/planning/plan/progress.h"

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/check.h"

namespace heliostat::plan {
namespace {

// A job is done at this share of its samples, because sums of doubles over millions of seconds are not exact.
constexpr double kDone = 1.0 - 1e-6;

}  // namespace

bool GoesOn(const scenario::Job& job, std::size_t group, int workers, Instant begin) {
  return job.begun && job.begun->workers == workers && job.begun->group == group && begin == job.submit;
}

ResumeDebt::ResumeDebt(const scenario::Job& job) : resume_(job.resume) {
  if (!job.begun || job.begun->workers == 0) return;
  started_ = true;
  ended_ = job.submit;
  group_ = job.begun->group;
  workers_ = job.begun->workers;
  owed_ = job.begun->resume_left;
}

Duration ResumeDebt::Pay(const Segment& segment, int workers) {
  const bool continues = started_ && segment.span.begin == ended_ && segment.group == group_ && workers == workers_;
  if (!continues) owed_ = resume_;
  const Duration paid = std::min(owed_, std::max(Duration{}, segment.span.length()));
  owed_ -= paid;
  started_ = true;
  ended_ = segment.span.end;
  group_ = segment.group;
  workers_ = workers;
  return paid;
}

TrainingTable::TrainingTable(const scenario::Site& site, const std::string& model) {
  by_group_.reserve(site.groups.size());
  for (const scenario::Group& group : site.groups) by_group_.push_back(&site.training.Of(model, group.gpu));
}

const scenario::TrainingPoint& TrainingTable::At(const Segment& segment) const {
  Check(segment.group < by_group_.size(), "the group of the segment does not exist");
  Check(segment.point < by_group_[segment.group]->size(), "the operating point of the segment does not exist");
  return (*by_group_[segment.group])[segment.point];
}

std::vector<ProgressSpan> PiecesOf(const TrainingTable& table, const scenario::Job& job, const JobPlan& plan) {
  std::vector<ProgressSpan> pieces;
  pieces.reserve(plan.segments.size());
  ResumeDebt debt(job);
  for (const Segment& segment : plan.segments) {
    const scenario::TrainingPoint& point = table.At(segment);
    const Instant begin = segment.span.begin + debt.Pay(segment, point.workers);
    if (begin < segment.span.end) pieces.push_back({{begin, segment.span.end}, point.samples_per_s});
  }
  return pieces;
}

std::vector<ProgressSpan> PiecesOf(const scenario::Scenario& scenario, const scenario::Job& job, const JobPlan& plan) {
  return PiecesOf(TrainingTable(scenario, job.model), job, plan);
}

std::optional<Instant> FinishOf(const scenario::Job& job, const std::vector<ProgressSpan>& pieces) {
  double left = job.samples;
  for (const ProgressSpan& piece : pieces) {
    if (left <= 0.0) return piece.span.begin;
    if (piece.samples() >= left) {
      const auto seconds = static_cast<std::int64_t>(std::ceil(left / piece.samples_per_s));
      return std::min(piece.span.end, piece.span.begin + Duration{seconds});
    }
    left -= piece.samples();
  }
  if (left <= job.samples * (1.0 - kDone) && !pieces.empty()) return pieces.back().span.end;
  return std::nullopt;
}

}  // namespace heliostat::plan
