#include "heliostat/ui/experiments/statistics.h"

#include <algorithm>
#include <cmath>

namespace heliostat::experiments {

double QuantileOf(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0.0;
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

Spread SpreadOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {MeanOf(values), QuantileOf(values, 0.1), QuantileOf(values, 0.9),
          values.front(), values.back(),           values.size()};
}

}  // namespace heliostat::experiments
