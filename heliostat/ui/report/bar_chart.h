#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::report {

// One row of a BarChart.
struct Bar {
  std::string label;
  double value = 0;  // missing: the row shows "unknown" instead of a bar
  Colour colour = Colour::kBlue;
};

// Horizontal bars from zero, one per row, each with its value. Bars of negative values go to the left.
struct BarChart {
  std::string title;
  std::string unit;
  std::vector<Bar> bars;
  double width = 720;
};

// The chart as SVG. Fails if no value is known.
Result<std::string> Render(const BarChart& chart);

}  // namespace heliostat::report
