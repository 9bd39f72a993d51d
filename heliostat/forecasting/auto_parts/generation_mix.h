#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "heliostat/forecasting/regression/matrix.h"

namespace heliostat::auto_parts {

// Emissions per unit of energy of each source, estimated from the intensity and the generation in the same file, so
// that no external factors are needed.
struct EmissionFactors {
  std::vector<double> of_source;  // in the unit of the intensity, none below zero
  double error;                   // mean relative difference to the intensity of the file
};

// `power` has one column per source, without negative values; `intensity` has one value per row. std::nullopt when
// there are fewer than four rows per source, or no row with a positive intensity.
std::optional<EmissionFactors> FindFactors(const regression::Matrix& power, std::span<const double> intensity);

// The intensity of a mix; std::nullopt when the total power is zero.
std::optional<double> IntensityOf(std::span<const double> power, std::span<const double> factors);

}  // namespace heliostat::auto_parts
