#pragma once

#include "heliostat/base/core/time.h"

namespace heliostat::job_length {

// The share of jobs that are no longer than the highest quantile of their predictions.
inline constexpr double kHighestShare = 0.95;

// Which share of past lengths to ask for, so that the highest quantile holds in the share of later jobs that it
// promises. Past lengths are few and jobs change, so that 95 % of the past cover less than 95 % of the future. Each job
// that ends moves the share up if it was longer than its quantile and down if it was shorter, by steps that cancel out
// when the promise is kept (adaptive conformal inference). Not thread-safe.
class Calibration {
 public:
  double asked() const { return asked_; }
  // A job has ended for which this quantile was predicted. A quantile that the time limit of the job capped, or that
  // the job met to the second, changes nothing.
  void Learn(Duration predicted, Duration length, Duration time_limit);

 private:
  double asked_ = kHighestShare;
};

}  // namespace heliostat::job_length
