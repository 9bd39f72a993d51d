#include "heliostat/control/policy/choices.h"

#include <algorithm>
#include <limits>

namespace heliostat::policy {
namespace {

constexpr double kUnset = std::numeric_limits<double>::infinity();

// Indices of the points than which no other with the same `kind` is higher.
template <typename Point>
std::vector<std::size_t> NotExceeded(const std::vector<Point>& points, int Point::*kind) {
  std::vector<std::size_t> highest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto exceeds = [&](const Point& other) {
      return other.*kind == points[i].*kind && IsHigher(other.knob, points[i].knob);
    };
    if (std::none_of(points.begin(), points.end(), exceeds)) highest.push_back(i);
  }
  return highest;
}

}  // namespace

bool IsHigher(const scenario::GpuSetting& a, const scenario::GpuSetting& b) {
  // A knob that is not set is at the GPU's default, the highest value.
  const auto key = [](const scenario::GpuSetting& knob) {
    return std::tuple(knob.power_limit_w.value_or(kUnset), knob.core_mhz.value_or(kUnset));
  };
  return key(a) > key(b);
}

std::vector<std::size_t> Untouched(const std::vector<scenario::InferencePoint>& points) {
  return NotExceeded(points, &scenario::InferencePoint::batch);
}

std::vector<std::size_t> Untouched(const std::vector<scenario::TrainingPoint>& points) {
  return NotExceeded(points, &scenario::TrainingPoint::workers);
}

namespace {

// The highest measured power of one worker on this kind of GPU. Idle power without measurements.
Watts HungriestWorker(const scenario::Site& site, const scenario::Group& group) {
  Watts most = group.gpu_idle;
  for (const auto& [key, points] : site.training.all()) {
    if (key.second != group.gpu) continue;
    for (const scenario::TrainingPoint& point : points) most = std::max(most, point.power * (1.0 / point.workers));
  }
  return most;
}

// The one point of a job without a model: the GPUs that it asks for, and one sample per second.
std::unique_ptr<std::vector<scenario::TrainingPoint>> Unmeasured(const scenario::Site& site,
                                                                 const scenario::Group& group,
                                                                 const scenario::Job& job) {
  auto points = std::make_unique<std::vector<scenario::TrainingPoint>>();
  if (job.max_workers > group.gpus()) return points;
  scenario::TrainingPoint point;
  point.workers = job.max_workers;
  point.samples_per_s = 1.0;
  point.power = HungriestWorker(site, group) * job.max_workers;
  points->push_back(point);
  return points;
}

}  // namespace

Choices::Choices(const scenario::Site& site, const scenario::Job& job, const Capabilities& capabilities) {
  const std::size_t groups = site.groups.size();
  points_.resize(groups);
  defaults_.resize(groups);
  thriftiest_.resize(groups);
  fastest_in_.resize(groups, 0.0);
  for (std::size_t g = 0; g < groups; ++g) AddGroup(site, job, g, capabilities.cap_power);
  std::stable_sort(groups_.begin(), groups_.end(), [this](std::size_t a, std::size_t b) {
    return At(*defaults_[a]).samples_per_s > At(*defaults_[b]).samples_per_s;
  });
}

void Choices::AddGroup(const scenario::Site& site, const scenario::Job& job, std::size_t g, bool cap_power) {
  if (job.model.empty()) {
    unmeasured_.push_back(Unmeasured(site, site.groups[g], job));
    table_.push_back(unmeasured_.back().get());
    if (!table_[g]->empty()) points_[g] = {0};
  } else {
    table_.push_back(&site.training.Of(job.model, site.groups[g].gpu));
    points_[g] = site.PointsFor(job, g);
  }
  if (points_[g].empty()) return;
  int most = 0;
  for (const std::size_t p : points_[g]) most = std::max(most, (*table_[g])[p].workers);
  if (!cap_power) {
    std::vector<std::size_t> untouched;
    for (const std::size_t p : points_[g]) {
      if (Default(g, (*table_[g])[p].workers)->point == p) untouched.push_back(p);
    }
    points_[g] = std::move(untouched);
  }
  defaults_[g] = Default(g, most);
  double least = kUnset;
  for (const std::size_t p : points_[g]) {
    const scenario::TrainingPoint& point = (*table_[g])[p];
    fastest_in_[g] = std::max(fastest_in_[g], point.samples_per_s);
    const double joules = point.power.value / point.samples_per_s;
    if (point.workers != most || joules >= least) continue;
    least = joules;
    thriftiest_[g] = RunSetting{g, p};
  }
  fastest_ = std::max(fastest_, fastest_in_[g]);
  groups_.push_back(g);
}

std::optional<RunSetting> Choices::Default(std::size_t group, int workers) const {
  std::optional<RunSetting> best;
  for (const std::size_t p : points_[group]) {
    const scenario::TrainingPoint& point = (*table_[group])[p];
    if (point.workers != workers) continue;
    if (!best || IsHigher(point.knob, At(*best).knob)) best = RunSetting{group, p};
  }
  return best;
}

Seconds Choices::Shortest(double samples, std::size_t group) const {
  if (fastest_in_[group] <= 0.0) return Seconds{kUnset};
  return Seconds{samples / fastest_in_[group]};
}

void ChoiceTable::Follow(const std::shared_ptr<const scenario::Site>& site, const Capabilities& capabilities) {
  if (site_ == site && capabilities_ == capabilities) return;
  known_.clear();
  site_ = site;
  capabilities_ = capabilities;
}

const Choices& ChoiceTable::Of(const scenario::Job& job) {
  const auto key = std::tuple(job.model, job.min_workers, job.max_workers);
  auto found = known_.find(key);
  if (found == known_.end()) found = known_.emplace(key, std::make_unique<Choices>(*site_, job, capabilities_)).first;
  return *found->second;
}

}  // namespace heliostat::policy
