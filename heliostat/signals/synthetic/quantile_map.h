#pragma once

#include <array>
#include <cstddef>

namespace heliostat::synthetic {

// A rising, piecewise-linear map from a latent number to a physical one, flat
// outside its knots: what no real hour has shown does not come out.
struct QuantileMap {
  static constexpr std::size_t kKnots = 24;
  std::array<double, kKnots> z;
  std::array<double, kKnots> x;

  double operator()(double latent) const;
  double lowest() const { return x.front(); }
  double highest() const { return x.back(); }
};

}  // namespace heliostat::synthetic
