#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/ui/experiments/statistics.h"

namespace heliostat::experiments {

// Rows of spreads: a dot at the mean, a line from the 10th to the 90th percentile, a thin line to the extremes.
struct SpreadChart {
  struct Row {
    std::string label;
    std::vector<Spread> spreads;  // one per series
  };
  std::string title;
  std::string unit;
  std::vector<std::string> series;
  std::vector<Row> rows;
  double width = 720;
};
// The chart as SVG. Fails if there is no row.
Result<std::string> Render(const SpreadChart& chart);

// A table whose cells are shaded by their value, from the least to the most.
struct CellChart {
  std::string title;
  std::string unit;
  std::vector<std::string> columns;
  std::vector<std::string> rows;
  std::vector<std::vector<double>> values;  // [row][column]; missing ones stay blank
  double width = 560;
};
// The chart as SVG. Fails if no value is known.
Result<std::string> Render(const CellChart& chart);

}  // namespace heliostat::experiments
