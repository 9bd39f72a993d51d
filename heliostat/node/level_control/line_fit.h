#pragma once

#include <span>

namespace heliostat::level_control {

// A straight line with standard errors.
struct LineFit {
  double centre = 0.0;  // the x where its error is least
  double value = 0.0;   // at the centre
  double slope = 0.0;
  double value_error = 0.0;
  double slope_error = 0.0;

  double At(double x) const { return value + slope * (x - centre); }
  double ErrorAt(double x) const;
};

// The line nearest to `y` by weighted least squares; a weight is 1 / error². Needs at least two different `x`; all
// three must have the same length.
LineFit FitLine(std::span<const double> x, std::span<const double> y, std::span<const double> weights);

}  // namespace heliostat::level_control
