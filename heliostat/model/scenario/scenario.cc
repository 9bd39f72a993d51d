#include "heliostat/model/scenario/scenario.h"

#include <algorithm>

namespace heliostat::scenario {

namespace {

// The same setting measured again with another result.
bool IsAmbiguous(const std::vector<TrainingPoint>& points, std::size_t i) {
  return std::ranges::any_of(points, [&](const TrainingPoint& other) {
    return other.workers == points[i].workers && other.knob == points[i].knob &&
           (other.samples_per_s != points[i].samples_per_s || other.power.value != points[i].power.value);
  });
}

std::vector<std::size_t> InRange(const Site& site, const Job& job, std::size_t group, bool ambiguous) {
  if (job.begun && job.begun->group != group) return {};
  const int most = std::min(job.max_workers, site.groups[group].gpus());
  const auto& points = site.training.Of(job.model, site.groups[group].gpu);
  std::vector<std::size_t> usable;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].workers < job.min_workers || points[i].workers > most) continue;
    if (ambiguous || !IsAmbiguous(points, i)) usable.push_back(i);
  }
  return usable;
}

}  // namespace

int Scenario::UpBefore(std::size_t group) const {
  if (is_up.empty()) return groups[group].nodes;
  return static_cast<int>(std::ranges::count(is_up[group], true));
}

std::vector<std::size_t> Site::PointsFor(const Job& job, std::size_t group) const {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!InRange(*this, job, g, false).empty()) return InRange(*this, job, group, false);
  }
  return InRange(*this, job, group, true);
}

Interval Scenario::WindowOf(const Job& job) const {
  const Interval asked{job.submit, std::max(job.submit, job.deadline.value_or(end()))};
  return asked.Intersect(horizon());
}

double Site::ReferenceSamplesPerS(const std::string& model) const {
  double best_alone = 0.0;
  double best_a_worker = 0.0;
  for (const Group& group : groups) {
    for (const TrainingPoint& point : training.Of(model, group.gpu)) {
      if (point.workers == 1) best_alone = std::max(best_alone, point.samples_per_s);
      best_a_worker = std::max(best_a_worker, point.samples_per_s / point.workers);
    }
  }
  return best_alone > 0.0 ? best_alone : best_a_worker;
}

double Site::ReferenceRequestsPerS(const std::string& model) const {
  double best = 0.0;
  for (const Group& group : groups) {
    for (const InferencePoint& point : inference.Of(model, group.gpu)) best = std::max(best, point.requests_per_s);
  }
  return best;
}

}  // namespace heliostat::scenario
