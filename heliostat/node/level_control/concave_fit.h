#pragma once

#include <span>
#include <vector>

namespace heliostat::level_control {

// The non-decreasing concave values nearest to `y` by weighted least squares. `x` must rise strictly and weights must
// be above 0; all three must have the same length, at least 1.
std::vector<double> FitRisingConcave(std::span<const double> x, std::span<const double> y,
                                     std::span<const double> weights);

// The non-decreasing values nearest to `y` by weighted least squares.
std::vector<double> FitRising(std::span<const double> y, std::span<const double> weights);

}  // namespace heliostat::level_control
