#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::workload {

// GPUs of each group that jobs may count on: all but what services may ever take, which is kept free in the largest.
std::vector<int> GpusForJobs(const scenario::Scenario& scenario);

// First come, first served, at default settings: where jobs end on a cluster that is asked for no more than that. A
// proof that their deadlines can be met, since it is a plan.
class Queue {
 public:
  // The scenario must outlive it and have groups, training profiles and services.
  explicit Queue(const scenario::Scenario& scenario);

  // Puts the job behind all before it, in the group that ends it first; jobs come in the order of their submission.
  // When it ends, to the next whole minute; nothing, and nothing is taken, when that is after the horizon.
  std::optional<Instant> Run(const scenario::Job& job, int workers);

 private:
  // Samples a second at default settings; jobs of a kind ask for it again and again.
  double Speed(const std::string& model, std::size_t group, int workers);

  const scenario::Scenario& scenario_;
  std::vector<std::vector<Instant>> free_at_;  // of each group's GPUs, ascending
  std::map<std::tuple<std::string, std::size_t, int>, double> speeds_;
};

}  // namespace heliostat::workload
