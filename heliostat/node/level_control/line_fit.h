#pragma once

#include <span>

namespace heliostat::level_control {

// A straight line and how sure it is.
struct LineFit {
  double centre = 0.0;  // where it is surest
  double value = 0.0;   // there
  double slope = 0.0;
  double value_error = 0.0;
  double slope_error = 0.0;

  double At(double x) const { return value + slope * (x - centre); }
  double ErrorAt(double x) const;
};

// The line nearest to `y` by least squares; a weight is one over the square of a point's error. At least two different
// `x`; all three alike in length.
LineFit FitLine(std::span<const double> x, std::span<const double> y, std::span<const double> weights);

}  // namespace heliostat::level_control
