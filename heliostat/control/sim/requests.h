#pragma once

#include <deque>
#include <limits>
#include <vector>

#include "heliostat/base/core/units.h"

namespace heliostat::sim {

// Requests of a trace, from the scenario's start on.
struct Requests {
  std::vector<double> arrival_s;  // not falling
  std::vector<float> work;        // of each, relative to the mean; empty: all alike
};

// A service's queue, request by request: requests are gathered into batches in order of arrival, and each batch is
// served by the first replica that is free, for as long as its requests' mean work says. What is under way when the
// setting changes is served to its end as it began; what waits is gathered anew.
class RequestQueue {
 public:
  explicit RequestQueue(const Requests& requests) : requests_(requests) {}

  struct Setting {
    int batch = 1;
    int replicas = 0;
    Seconds service_time{};
  };
  struct Served {
    std::vector<float> latencies_s;  // of requests that came before `until` and were begun by it; sorted
    double arrived = 0.0;
  };
  // Everything that comes and begins before `until`. Without replicas everybody waits.
  Served Serve(double until_s, const Setting& setting);

 private:
  void Resize(int replicas, double now);

  const Requests& requests_;
  std::size_t next_ = 0;           // first request that is not in a batch yet
  std::vector<double> free_at_s_;  // of each replica
  double now_ = 0.0;
  std::size_t counted_ = 0;  // requests whose arrival was counted
};

}  // namespace heliostat::sim
