#include "heliostat/signals/synthetic/quantile_map.h"

#include <algorithm>

namespace heliostat::synthetic {

double QuantileMap::operator()(double latent) const {
  const auto above = std::ranges::upper_bound(z, latent);
  if (above == z.begin()) return x.front();
  if (above == z.end()) return x.back();
  const auto i = static_cast<std::size_t>(above - z.begin());
  const double share = (latent - z[i - 1]) / (z[i] - z[i - 1]);
  return x[i - 1] + share * (x[i] - x[i - 1]);
}

}  // namespace heliostat::synthetic
