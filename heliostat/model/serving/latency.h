#pragma once

#include "heliostat/base/core/units.h"

namespace heliostat::serving {

// The load of a service. Requests arrive at random (Poisson) at `requests_per_s` and form batches of `batch` in order
// of arrival. The first free one of `replicas` GPUs serves each batch in exactly `service_time`. See
// docs/models/inference.md.
struct Load {
  double requests_per_s = 0.0;
  int batch = 1;
  int replicas = 1;
  Seconds service_time{};
};

// The latency that the share `percentile` (between 0 and 1) of requests does not exceed: the wait for the batch and for
// a GPU, and the service. Never below the true value and, for loads up to 0.95, at most 15 % above it. Infinite when
// the replicas cannot serve the rate; service_time without requests. Thread-safe.
Seconds LatencyPercentile(const Load& load, double percentile);

}  // namespace heliostat::serving
