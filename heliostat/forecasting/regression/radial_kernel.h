#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/forecasting/regression/regressor.h"

namespace heliostat::regression {

// A radial kernel with stored points. The points are stored per coordinate, so that several kernels are computed at a
// time: they are most of the cost of a small SVR. Immutable.
class RadialKernel {
 public:
  RadialKernel(double gamma, std::span<const Features> points);

  std::size_t size() const { return coordinates_[0].size(); }
  Features Point(std::size_t i) const { return {coordinates_[0][i], coordinates_[1][i], coordinates_[2][i]}; }
  // Sets values[i] to exp(-gamma · squared distance) of `x` and point first + i.
  void Fill(const Features& x, std::size_t first, std::span<double> values) const;

 private:
  double gamma_;
  std::array<std::vector<double>, std::tuple_size_v<Features>> coordinates_;
};

}  // namespace heliostat::regression
