#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::workload {

// [group]: GPUs for jobs: all except the most that services may take, which stay free in the largest group.
std::vector<int> GpusForJobs(const scenario::Scenario& scenario);

// Computes when jobs end, first come first served, at default settings. The result is a valid plan, so it proves that
// deadlines after these ends can be met. Not thread-safe.
class Queue {
 public:
  // The scenario must outlive it and must have groups, training profiles and services.
  explicit Queue(const scenario::Scenario& scenario);

  // Adds the next job, in the group where it ends first. Call in order of submission. Returns its end, rounded up to a
  // whole minute. Returns nothing, and takes no GPUs, when that is after the horizon.
  std::optional<Instant> Run(const scenario::Job& job, int workers);

 private:
  // Samples per second at default settings. Kept, because many jobs share a model.
  double Speed(const std::string& model, std::size_t group, int workers);

  const scenario::Scenario& scenario_;
  std::vector<std::vector<Instant>> free_at_;  // [group]: times at which each GPU is free, ascending
  std::map<std::tuple<std::string, std::size_t, int>, double> speeds_;
};

}  // namespace heliostat::workload
