#include "heliostat/policy/choices.h"

#include <algorithm>
#include <limits>

namespace heliostat::policy {
namespace {

constexpr double kUnset = std::numeric_limits<double>::infinity();

}  // namespace

bool IsHigher(const scenario::Knob& a, const scenario::Knob& b) {
  // A knob that is not set is the GPU's own default: nothing is higher.
  const auto key = [](const scenario::Knob& knob) {
    return std::tuple(knob.power_limit_w.value_or(kUnset), knob.core_mhz.value_or(kUnset));
  };
  return key(a) > key(b);
}

std::vector<std::size_t> Untouched(const std::vector<scenario::InferencePoint>& points) {
  std::vector<std::size_t> untouched;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto exceeds = [&](const scenario::InferencePoint& other) {
      return other.batch == points[i].batch && IsHigher(other.knob, points[i].knob);
    };
    if (std::none_of(points.begin(), points.end(), exceeds)) untouched.push_back(i);
  }
  return untouched;
}

Choices::Choices(const scenario::Scenario& site, const scenario::Job& job) : table_(site, job.model) {
  const std::size_t groups = site.groups.size();
  points_.resize(groups);
  defaults_.resize(groups);
  thriftiest_.resize(groups);
  fastest_in_.resize(groups, 0.0);
  for (std::size_t g = 0; g < groups; ++g) {
    points_[g] = site.PointsFor(job, g);
    int most = 0;
    for (const std::size_t p : points_[g]) {
      const scenario::TrainingPoint& point = table_.In(g)[p];
      most = std::max(most, point.workers);
      fastest_in_[g] = std::max(fastest_in_[g], point.samples_per_s);
    }
    if (points_[g].empty()) continue;
    fastest_ = std::max(fastest_, fastest_in_[g]);
    groups_.push_back(g);
    defaults_[g] = Default(g, most);
    double least = kUnset;
    for (const std::size_t p : points_[g]) {
      const scenario::TrainingPoint& point = table_.In(g)[p];
      const double joules = point.power.value / point.samples_per_s;
      if (point.workers != most || joules >= least) continue;
      least = joules;
      thriftiest_[g] = Setting{g, p};
    }
  }
  std::stable_sort(groups_.begin(), groups_.end(), [this](std::size_t a, std::size_t b) {
    return At(*defaults_[a]).samples_per_s > At(*defaults_[b]).samples_per_s;
  });
}

std::optional<Setting> Choices::Default(std::size_t group, int workers) const {
  std::optional<Setting> best;
  for (const std::size_t p : points_[group]) {
    const scenario::TrainingPoint& point = table_.In(group)[p];
    if (point.workers != workers) continue;
    if (!best || IsHigher(point.knob, At(*best).knob)) best = Setting{group, p};
  }
  return best;
}

Seconds Choices::Shortest(double samples, std::size_t group) const {
  if (fastest_in_[group] <= 0.0) return Seconds{kUnset};
  return Seconds{samples / fastest_in_[group]};
}

const Choices& ChoiceBook::Of(const scenario::Job& job) {
  const auto key = std::tuple(job.model, job.min_workers, job.max_workers);
  auto found = known_.find(key);
  if (found == known_.end()) found = known_.emplace(key, std::make_unique<Choices>(site_, job)).first;
  return *found->second;
}

}  // namespace heliostat::policy
