#pragma once

#include <deque>
#include <limits>
#include <vector>

#include "heliostat/base/core/units.h"

namespace heliostat::sim {

// Requests of a trace. Times are in seconds from the start of the scenario.
struct Requests {
  std::vector<double> arrival_s;  // ascending
  std::vector<float> work;        // of each request, relative to the mean; empty: all equal
};

// The queue of a service, request by request. Requests form batches in order of arrival. The first free replica serves
// each batch, for a time in proportion to the mean work of its requests. When the setting changes, batches under way
// finish as they began, and waiting requests form new batches. Not thread-safe.
class RequestQueue {
 public:
  // The requests must outlive it.
  explicit RequestQueue(const Requests& requests) : requests_(requests) {}

  struct Setting {
    int batch = 1;
    int replicas = 0;
    Seconds service_time{};
  };
  struct Served {
    std::vector<float> latencies_s;  // of requests whose service began before `until`; sorted
    double arrived = 0.0;            // number of requests since the last call
  };
  // Serves from the last `until_s` to this one. Without replicas all requests wait.
  Served Serve(double until_s, const Setting& setting);

 private:
  void Resize(int replicas, double now);

  const Requests& requests_;
  std::size_t next_ = 0;           // first request that is not in a batch yet
  std::vector<double> free_at_s_;  // [replica]
  double now_ = 0.0;
  std::size_t counted_ = 0;  // requests counted as arrived
};

}  // namespace heliostat::sim
