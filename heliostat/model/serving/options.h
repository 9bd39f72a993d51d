#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::serving {

// One way to run a service in a slot that keeps its latency.
struct ServingOption {
  std::size_t group = 0;
  std::size_t point = 0;  // index into inference.Of(model, gpu of the group)
  int replicas = 0;
  double utilisation = 0.0;
  Seconds latency{};
  Watts power;  // of all replicas' GPUs, as docs/contract.md says in "Energy, carbon, cost"
};

// Every way that could be the best for some price of energy, of GPUs and of latency: those that another way of the same
// group beats or equals in power, replicas and latency are left out. With `latency_counts` false, latency beyond the
// SLO's is worth nothing and does not keep a way in. Empty when nothing keeps the SLO at that slot's rate.
std::vector<ServingOption> OptionsFor(const scenario::Site& site, const scenario::Service& service, std::size_t slot,
                                      bool latency_counts);

// Why OptionsFor is empty, in the user's terms: the best latency there is and with what, the rate that could be served,
// what to relax. One sentence without a full stop.
std::string WhyNone(const scenario::Site& site, const scenario::Service& service, std::size_t slot);

}  // namespace heliostat::serving
