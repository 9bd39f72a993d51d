#include "heliostat/policy/observation.h"

#include <algorithm>

namespace heliostat::policy {
namespace {

// Of the estimate: what a job that has outrun it is thought to have left.
constexpr double kNeverLess = 0.05;

}  // namespace

double JobState::SamplesLeft(Instant now) const {
  if (phase == Phase::kDone) return 0.0;
  double done = samples_done;
  if (phase == Phase::kRunning && now > since) done += samples_per_s * Seconds(now - since).count();
  const double left = asked.samples - done;
  return left > 1e-9 * asked.samples ? left : kNeverLess * asked.samples;
}

void Decision::Clear() {
  jobs.clear();
  services.clear();
  nodes_on.clear();
  call_again.reset();
}

}  // namespace heliostat::policy
