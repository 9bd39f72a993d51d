#include "heliostat/planning/admission/ways.h"

#include <algorithm>
#include <limits>
#include <map>

namespace heliostat::admission {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<Way> WaysOf(const scenario::Scenario& scenario, const scenario::Job& job) {
  std::vector<Way> ways;
  for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
    const auto& points = scenario.training.Of(job.model, scenario.groups[g].gpu);
    std::map<int, std::size_t> fastest;  // by workers
    for (const std::size_t i : scenario.PointsFor(job, g)) {
      const auto [known, is_new] = fastest.emplace(points[i].workers, i);
      if (!is_new && points[i].samples_per_s > points[known->second].samples_per_s) known->second = i;
    }
    for (const auto& [workers, i] : fastest) ways.push_back({g, i, workers, points[i].samples_per_s});
  }
  return ways;
}

Seconds ShortestTime(const std::vector<Way>& ways, const scenario::Job& job) {
  Seconds shortest(kNever);
  for (const Way& way : ways) shortest = std::min(shortest, TimeIn(way, job));
  return shortest;
}

double LeastGpuSeconds(const std::vector<Way>& ways, const scenario::Job& job, Seconds window) {
  double least = kNever;
  for (const Way& way : ways) {
    if (TimeIn(way, job) <= window) least = std::min(least, GpuSecondsIn(way, job));
  }
  if (!job.preemptible) return least;
  const Seconds resume = LeastResume(job);
  const double running_s = (window - 2.0 * resume).count();
  for (const Way& slow : ways) {
    for (const Way& fast : ways) {
      if (slow.group != fast.group || slow.samples_per_s >= fast.samples_per_s) continue;
      // All the time that is there: `fast_s` of it in the faster way.
      const double fast_s = (job.samples - slow.samples_per_s * running_s) / (fast.samples_per_s - slow.samples_per_s);
      if (fast_s < 0.0 || fast_s > running_s) continue;
      const double running = fast_s * fast.workers + (running_s - fast_s) * slow.workers;
      least = std::min(least, running + resume.count() * (slow.workers + fast.workers));
    }
  }
  return least;
}

}  // namespace heliostat::admission
