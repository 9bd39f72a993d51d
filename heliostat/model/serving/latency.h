#pragma once

#include "heliostat/base/core/units.h"

namespace heliostat::serving {

// Requests arrive at random (Poisson) at `requests_per_s`, are gathered into batches of `batch` in order of arrival,
// and each batch is served by the first of `replicas` GPUs that is free, in `service_time` exactly.
// docs/models/inference.md.
struct Load {
  double requests_per_s = 0.0;
  int batch = 1;
  int replicas = 1;
  Seconds service_time{};
};

// The latency that the share `percentile` of requests does not exceed: waiting for the batch to fill, for a GPU, and
// the service itself. At or above the true one and, over loads up to 0.95, not by more than 15 %. Infinite when the
// replicas cannot keep up; service_time when there are no requests.
Seconds LatencyPercentile(const Load& load, double percentile);

}  // namespace heliostat::serving
