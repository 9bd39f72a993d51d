#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "heliostat/forecasting/regression/matrix.h"

namespace heliostat::auto_parts {

// What a unit of energy of each source emits, found from the intensities that a
// file gives beside its generation: nobody has to say which factors it used.
struct EmissionFactors {
  std::vector<double> of_source;  // in the intensity's unit, none below zero
  double error;                   // mean relative distance from the file's own intensities
};

// `power`: a column a source, none below zero; `intensity`: one a row. Nothing
// when there is too little to tell.
std::optional<EmissionFactors> FindFactors(const regression::Matrix& power, std::span<const double> intensity);

// The intensity of a mix, or nothing when no source runs.
std::optional<double> IntensityOf(std::span<const double> power, std::span<const double> factors);

}  // namespace heliostat::auto_parts
