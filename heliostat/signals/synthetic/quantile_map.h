#pragma once

#include <array>
#include <cstddef>

namespace heliostat::synthetic {

// An increasing, piecewise-linear map from a latent number to a physical one. Constant outside its knots: the result
// never leaves the range of the real data.
struct QuantileMap {
  static constexpr std::size_t kKnots = 24;
  std::array<double, kKnots> z;  // latent, increasing
  std::array<double, kKnots> x;  // physical

  double operator()(double latent) const;
  double lowest() const { return x.front(); }
  double highest() const { return x.back(); }
};

}  // namespace heliostat::synthetic
