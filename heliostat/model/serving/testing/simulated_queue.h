#pragma once

#include <cstdint>
#include <vector>

#include "heliostat/model/serving/latency.h"

namespace heliostat::serving::testing {

// Latencies in seconds of `requests` requests, in order of arrival, from an event simulation: tests compare the
// formulas with them. The simulation starts empty and leaves out requests before it is stationary.
std::vector<double> SimulatedLatencies(const Load& load, std::size_t requests, std::uint64_t seed);

// A share of requests over several independent simulations, and its standard error.
struct Share {
  double mean = 0.0;
  double error = 0.0;
};

// Share of requests whose latency is above each of `limits`.
std::vector<Share> SharesAbove(const Load& load, const std::vector<double>& limits, std::size_t plays,
                               std::size_t requests, std::uint64_t seed);

}  // namespace heliostat::serving::testing
