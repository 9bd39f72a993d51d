#pragma once

#include <cstddef>
#include <vector>

namespace heliostat::experiments {

// How numbers lie; all zero without any.
struct Spread {
  double mean = 0.0;
  double low = 0.0;   // a tenth lies below
  double high = 0.0;  // a tenth lies above
  double least = 0.0;
  double most = 0.0;
  std::size_t count = 0;
};
Spread SpreadOf(std::vector<double> values);

// The value that a share `share` of sorted values lies below, between neighbours in proportion.
double QuantileOf(const std::vector<double>& sorted, double share);

double MeanOf(const std::vector<double>& values);

}  // namespace heliostat::experiments
