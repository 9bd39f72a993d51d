#include "heliostat/forecasting/auto_parts/generation_mix.h"

#include <algorithm>
#include <cmath>

namespace heliostat::auto_parts {
namespace {

// Non-negative least squares: cyclic coordinate descent on the normal equations, which have one row per source.
std::vector<double> NonNegativeLeastSquares(const regression::Matrix& gram, const std::vector<double>& right) {
  const std::size_t n = right.size();
  std::vector<double> x(n, 0.0);
  for (int sweep = 0; sweep < 20000; ++sweep) {
    double moved = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = gram.Row(i);
      if (row[i] <= 0) continue;
      double slope = right[i];
      for (std::size_t j = 0; j < n; ++j) slope -= row[j] * x[j];
      const double next = std::max(0.0, x[i] + slope / row[i]);
      moved = std::max(moved, std::abs(next - x[i]));
      x[i] = next;
    }
    if (moved < 1e-7) break;
  }
  return x;
}

double Total(std::span<const double> power) {
  double total = 0;
  for (const double one : power) total += one;
  return total;
}

}  // namespace

std::optional<double> IntensityOf(std::span<const double> power, std::span<const double> factors) {
  double emitted = 0;
  for (std::size_t i = 0; i < power.size(); ++i) emitted += power[i] * factors[i];
  const double total = Total(power);
  if (total <= 0) return std::nullopt;
  return emitted / total;
}

std::optional<EmissionFactors> FindFactors(const regression::Matrix& power, std::span<const double> intensity) {
  const std::size_t sources = power.columns;
  if (power.rows < 4 * sources) return std::nullopt;
  regression::Matrix gram = regression::Matrix::Zeros(sources, sources);
  std::vector<double> right(sources, 0.0);
  for (std::size_t t = 0; t < power.rows; ++t) {
    const auto row = power.Row(t);
    const double total = Total(row);
    if (total <= 0) continue;
    for (std::size_t i = 0; i < sources; ++i) {
      right[i] += row[i] / total * intensity[t];
      for (std::size_t j = 0; j < sources; ++j) gram.Row(i)[j] += row[i] * row[j] / (total * total);
    }
  }
  EmissionFactors factors{NonNegativeLeastSquares(gram, right), 0};
  std::size_t counted = 0;
  for (std::size_t t = 0; t < power.rows; ++t) {
    const auto made = IntensityOf(power.Row(t), factors.of_source);
    if (!made || intensity[t] <= 0) continue;
    factors.error += std::abs(*made - intensity[t]) / intensity[t];
    ++counted;
  }
  if (counted == 0) return std::nullopt;
  factors.error /= static_cast<double>(counted);
  return factors;
}

}  // namespace heliostat::auto_parts
