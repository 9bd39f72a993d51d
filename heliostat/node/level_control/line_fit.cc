#include "heliostat/node/level_control/line_fit.h"

#include <cmath>
#include <cstddef>

#include "heliostat/base/core/check.h"

namespace heliostat::level_control {

double LineFit::ErrorAt(double x) const { return std::hypot(value_error, slope_error * (x - centre)); }

LineFit FitLine(std::span<const double> x, std::span<const double> y, std::span<const double> weights) {
  Check(x.size() == y.size() && x.size() == weights.size(), "as many values as weights");
  double weight = 0.0;
  double centre = 0.0;
  double value = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    weight += weights[i];
    centre += weights[i] * x[i];
    value += weights[i] * y[i];
  }
  centre /= weight;
  value /= weight;
  double spread = 0.0;
  double product = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    spread += weights[i] * (x[i] - centre) * (x[i] - centre);
    product += weights[i] * (x[i] - centre) * (y[i] - value);
  }
  Check(spread > 0.0, "two different places");
  return {centre, value, product / spread, 1.0 / std::sqrt(weight), 1.0 / std::sqrt(spread)};
}

}  // namespace heliostat::level_control
