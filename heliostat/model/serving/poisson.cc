#include "heliostat/model/serving/poisson.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heliostat::serving {
namespace {

// The correction of Stirling's formula for ln(count!); five digits more than needed for counts from 10 on.
double StirlingRest(double count) {
  const double square = count * count;
  return (1.0 / 12 - (1.0 / 360 - 1.0 / (1260 * square)) / square) / count;
}

// P(X <= count), summed from the side on which the terms fall, which avoids underflow and long sums.
double UpToOne(std::int64_t count, double mean) {
  constexpr double kNothing = 1e-17;
  double term = PoissonAt(count, mean);
  if (static_cast<double>(count) > mean) {
    double above = 0.0;
    while (term > kNothing) {
      term *= mean / static_cast<double>(++count);
      above += term;
    }
    return 1 - above;
  }
  double sum = term;
  for (; count > 0 && term > kNothing; --count) {
    term *= static_cast<double>(count) / mean;
    sum += term;
  }
  return sum;
}

}  // namespace

double PoissonAt(std::int64_t count, double mean) {
  constexpr std::int64_t kStirlingFrom = 10;
  if (count < 0) return 0.0;
  if (mean <= 0) return count == 0 ? 1.0 : 0.0;
  const auto k = static_cast<double>(count);
  if (count < kStirlingFrom) {
    double factorial = 1;
    for (std::int64_t i = 2; i <= count; ++i) factorial *= static_cast<double>(i);
    return std::exp(k * std::log(mean) - mean) / factorial;
  }
  // Loader's form: the large parts of k ln(mean), mean and ln(k!) cancel before the exponential.
  return std::exp(k - mean - k * std::log(k / mean) - StirlingRest(k)) / std::sqrt(2 * std::numbers::pi * k);
}

std::vector<double> PoissonUpTo(std::int64_t first, std::size_t length, double mean) {
  std::vector<double> cumulative(length, 0.0);
  const std::size_t skipped = first < 0 ? std::min(length, static_cast<std::size_t>(-first)) : 0;
  if (skipped == length) return cumulative;
  std::int64_t count = std::max<std::int64_t>(first, 0);

  double term = PoissonAt(count, mean);
  double sum = UpToOne(count, mean);
  for (std::size_t i = skipped; i < length; ++i) {
    cumulative[i] = std::min(sum, 1.0);
    term *= mean / static_cast<double>(++count);
    sum += term;
  }
  return cumulative;
}

}  // namespace heliostat::serving
