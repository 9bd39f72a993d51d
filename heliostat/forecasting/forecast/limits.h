#pragma once

#include <span>
#include <vector>

#include "heliostat/forecasting/forecast/history.h"

namespace heliostat::forecast {

// What a value can physically be at each future step: nothing below zero where
// that cannot be, no sun at night, no more than a share of one.
struct ValueLimits {
  std::vector<double> lowest;
  std::vector<double> highest;
};

// From the signal's meaning and from the nights of its own history.
ValueLimits LimitsOf(const History& past, std::size_t steps);

void Clamp(std::span<double> values, const ValueLimits& limits);

}  // namespace heliostat::forecast
