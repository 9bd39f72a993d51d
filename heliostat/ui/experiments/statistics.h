#pragma once

#include <cstddef>
#include <vector>

namespace heliostat::experiments {

// Mean, percentiles and extremes of numbers; all 0 without numbers.
struct Spread {
  double mean = 0.0;
  double low = 0.0;   // 10th percentile
  double high = 0.0;  // 90th percentile
  double least = 0.0;
  double most = 0.0;
  std::size_t count = 0;
};
Spread SpreadOf(std::vector<double> values);

// The quantile at `share`, 0 to 1, of sorted values, interpolated linearly.
double QuantileOf(const std::vector<double>& sorted, double share);

double MeanOf(const std::vector<double>& values);

}  // namespace heliostat::experiments
