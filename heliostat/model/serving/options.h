#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::serving {

// A way to run a service in a slot that keeps its latency objective.
struct ServingOption {
  std::size_t group = 0;
  std::size_t point = 0;  // index into inference.Of(model, gpu of the group)
  int replicas = 0;
  double utilisation = 0.0;
  Seconds latency{};
  Watts power;  // of all replicas, by "Energy, carbon, cost" of docs/contract.md
};

// All options that could be best for some price of energy, GPUs and latency. An option is left out when another of the
// same group is as good in power, replicas and latency. With `latency_counts` false, a latency below the objective has
// no value and is not compared. Empty when no option keeps the objective at the rate of the slot.
std::vector<ServingOption> OptionsFor(const scenario::Site& site, const scenario::Service& service, std::size_t slot,
                                      bool latency_counts);

// Why OptionsFor() is empty, for users: the best possible latency and its setting, the rate that could be served, and
// what to relax. One sentence without a full stop.
std::string WhyNone(const scenario::Site& site, const scenario::Service& service, std::size_t slot);

}  // namespace heliostat::serving
