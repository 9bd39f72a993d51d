#include "heliostat/forecasting/regression/radial_kernel.h"

#include <cmath>

namespace heliostat::regression {
namespace {

// Compiled with relaxed arithmetic (see CMakeLists), which allows the vector exponential of the C library; all values
// are finite. The AVX2 version is chosen at run time where the processor supports it.
__attribute__((target_clones("avx2", "default"))) void Exponentials(double gamma, const Features& x, const double* a,
                                                                    const double* b, const double* c, double* values,
                                                                    std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double da = a[i] - x[0], db = b[i] - x[1], dc = c[i] - x[2];
    values[i] = std::exp(-gamma * (da * da + db * db + dc * dc));
  }
}

}  // namespace

RadialKernel::RadialKernel(double gamma, std::span<const Features> points) : gamma_(gamma) {
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    coordinates_[k].reserve(points.size());
    for (const Features& point : points) coordinates_[k].push_back(point[k]);
  }
}

void RadialKernel::Fill(const Features& x, std::size_t first, std::span<double> values) const {
  Exponentials(gamma_, x, coordinates_[0].data() + first, coordinates_[1].data() + first,
               coordinates_[2].data() + first, values.data(), values.size());
}

}  // namespace heliostat::regression
