#include "heliostat/forecasting/job_length/calibration.h"

#include <algorithm>

namespace heliostat::job_length {
namespace {

// A job that is longer than its quantile moves the share by nearly this much; nineteen that are not move it back.
constexpr double kStep = 0.005;
// Short jobs end, and count, before long ones, so that a burst of jobs first pulls the share down. It hardly gives way
// in that direction.
constexpr double kLeastAsked = 0.94;
constexpr double kMostAsked = 0.995;

}  // namespace

void Calibration::Learn(Duration predicted, Duration length, Duration time_limit) {
  if (predicted >= time_limit || predicted == length) return;
  const double held = length < predicted ? 1.0 : 0.0;
  asked_ = std::clamp(asked_ + kStep * (kHighestShare - held), kLeastAsked, kMostAsked);
}

}  // namespace heliostat::job_length
