#include "heliostat/planning/milp/points.h"

#include <algorithm>
#include <map>

namespace heliostat::milp {
namespace {

using Points = std::vector<scenario::TrainingPoint>;

// Whether b lies on or below the straight line from a to c, in speed over power.
bool IsUnder(const scenario::TrainingPoint& a, const scenario::TrainingPoint& b, const scenario::TrainingPoint& c) {
  return (b.samples_per_s - a.samples_per_s) * (c.power - a.power).value <=
         (c.samples_per_s - a.samples_per_s) * (b.power - a.power).value;
}

// Removes points slower than the one with the most work per joule beyond idling.
void DropSlower(const Points& points, Watts idle, std::vector<std::size_t>& hull) {
  auto best = hull.begin();
  for (auto it = hull.begin(); it != hull.end(); ++it) {
    const scenario::TrainingPoint& point = points[*it];
    if (point.power <= idle) return;  // less than idle power: no conclusion is possible
    if (point.samples_per_s * (points[*best].power - idle).value >
        points[*best].samples_per_s * (point.power - idle).value) {
      best = it;
    }
  }
  hull.erase(hull.begin(), best);
}

}  // namespace

std::vector<std::size_t> UsefulPoints(const Points& points, std::vector<std::size_t> candidates, Watts idle,
                                      bool slower_too) {
  std::sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) {
    if (points[a].power != points[b].power) return points[a].power < points[b].power;
    if (points[a].samples_per_s != points[b].samples_per_s) return points[a].samples_per_s > points[b].samples_per_s;
    return a < b;
  });
  std::vector<std::size_t> hull;
  for (const std::size_t candidate : candidates) {
    if (!hull.empty() && points[candidate].samples_per_s <= points[hull.back()].samples_per_s) continue;
    while (hull.size() >= 2 && IsUnder(points[hull[hull.size() - 2]], points[hull.back()], points[candidate])) {
      hull.pop_back();
    }
    hull.push_back(candidate);
  }
  if (!slower_too && !hull.empty()) DropSlower(points, idle, hull);
  return hull;
}

std::vector<WorkerChoice> WorkerChoices(const scenario::Scenario& scenario, const scenario::Job& job, std::size_t group,
                                        bool slower_too) {
  const scenario::Group& where = scenario.groups[group];
  const Points& points = scenario.training.Of(job.model, where.gpu);
  std::map<int, std::vector<std::size_t>> by_workers;
  for (const std::size_t point : scenario.PointsFor(job, group)) by_workers[points[point].workers].push_back(point);
  std::vector<WorkerChoice> choices;
  for (const auto& [workers, candidates] : by_workers) {
    WorkerChoice choice;
    choice.workers = workers;
    choice.points = UsefulPoints(points, candidates, where.gpu_idle * workers, slower_too);
    const auto less = [&](std::size_t a, std::size_t b) { return points[a].power < points[b].power; };
    choice.lowest = *std::min_element(candidates.begin(), candidates.end(), less);
    choice.highest = *std::max_element(candidates.begin(), candidates.end(), less);
    choices.push_back(std::move(choice));
  }
  return choices;
}

}  // namespace heliostat::milp
