#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace heliostat::regression {

// A table of numbers in row-major order. Public headers use it instead of the types of a linear algebra library.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;

  static Matrix Zeros(std::size_t rows, std::size_t columns) {
    return {rows, columns, std::vector<double>(rows * columns)};
  }
  std::span<double> Row(std::size_t i) { return std::span(values).subspan(i * columns, columns); }
  std::span<const double> Row(std::size_t i) const { return std::span(values).subspan(i * columns, columns); }
};

}  // namespace heliostat::regression
