#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/forecasting/regression/regressor.h"

namespace heliostat::regression {

// Points kept coordinate by coordinate, so that kernels with all of them are
// found several at a time: they are nearly all of what a small SVR costs.
class RadialKernel {
 public:
  RadialKernel(double gamma, std::span<const Features> points);

  std::size_t size() const { return coordinates_[0].size(); }
  Features Point(std::size_t i) const { return {coordinates_[0][i], coordinates_[1][i], coordinates_[2][i]}; }
  // exp(-gamma · squared distance) of `x` and the points from `first` on, one a value.
  void Fill(const Features& x, std::size_t first, std::span<double> values) const;

 private:
  double gamma_;
  std::array<std::vector<double>, std::tuple_size_v<Features>> coordinates_;
};

}  // namespace heliostat::regression
