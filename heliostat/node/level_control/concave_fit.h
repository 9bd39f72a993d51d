#pragma once

#include <span>
#include <vector>

namespace heliostat::level_control {

// Values that rise less and less and never fall, as near to `y` as such values can be: least squares, each with its
// weight. `x` rises strictly; weights are above 0; all three are alike in length and not empty.
std::vector<double> FitRisingConcave(std::span<const double> x, std::span<const double> y,
                                     std::span<const double> weights);

// The same for values that only must not fall.
std::vector<double> FitRising(std::span<const double> y, std::span<const double> weights);

}  // namespace heliostat::level_control
