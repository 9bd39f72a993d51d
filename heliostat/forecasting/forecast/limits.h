#pragma once

#include <span>
#include <vector>

#include "heliostat/forecasting/forecast/history.h"

namespace heliostat::forecast {

// The physical range of a value at each future step: not below zero for most kinds, no solar power at night, at most 1
// for a capacity factor.
struct ValueLimits {
  std::vector<double> lowest;
  std::vector<double> highest;
};

// Derived from the meaning of the signal and from the nights of its history.
ValueLimits LimitsOf(const History& past, std::size_t steps);

// Limits each value to its range; values beyond the length of `limits` stay unchanged.
void Clamp(std::span<double> values, const ValueLimits& limits);

}  // namespace heliostat::forecast
