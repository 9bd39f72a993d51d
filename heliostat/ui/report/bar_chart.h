#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::report {

struct Bar {
  std::string label;
  double value = 0;  // missing: the row stays empty and says so
  Colour colour = Colour::kBlue;
};

// Horizontal bars from zero, one per row, each with its value: names of any
// length stay readable, and values below zero point to the left.
struct BarChart {
  std::string title;
  std::string unit;
  std::vector<Bar> bars;
  double width = 720;
};

// SVG. An error when there is no known value.
Result<std::string> Render(const BarChart& chart);

}  // namespace heliostat::report
