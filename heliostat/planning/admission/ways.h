#pragma once

#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::admission {

// A way to run a job from its start to its end: the fastest point with one number of workers in one group.
struct Way {
  std::size_t group = 0;
  std::size_t point = 0;  // index into training.Of(model, gpu of the group)
  int workers = 1;
  double samples_per_s = 0.0;
};

// One way per group and number of workers that the job may use. Empty when no group can run it.
std::vector<Way> WaysOf(const scenario::Scenario& scenario, const scenario::Job& job);

// The least time without progress: a job that has begun may go on.
inline Seconds LeastResume(const scenario::Job& job) {
  return Seconds(job.begun && job.begun->workers > 0 ? job.begun->resume_left : job.resume);
}
// The time of the whole job in this way, with one start.
inline Seconds TimeIn(const Way& way, const scenario::Job& job) {
  return Seconds(job.samples / way.samples_per_s) + LeastResume(job);
}
inline double GpuSecondsIn(const Way& way, const scenario::Job& job) { return TimeIn(way, job).count() * way.workers; }

// The shortest time of the job, alone. Infinite without a way.
Seconds ShortestTime(const std::vector<Way>& ways, const scenario::Job& job);

// No plan does the job within a window of this length with less GPU time: it is that of one way, or of two ways of one
// group with a start each, where the better one alone is too slow. Infinite when the window is too short.
double LeastGpuSeconds(const std::vector<Way>& ways, const scenario::Job& job, Seconds window);

}  // namespace heliostat::admission
