#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::report {

// A range around a line, such as a band of a forecast.
struct Fan {
  std::vector<double> low;
  std::vector<double> high;
};

// A line over time with bands, drawn with characters: known values up to `start`, forecast values from there on.
struct TerminalPlot {
  Instant start;
  Duration step;
  std::vector<double> before;  // values up to `start`, without bands; may be empty
  std::vector<double> values;  // from `start` on; missing ones leave a gap
  std::vector<Fan> bands;      // widest first, up to three; each as long as `values`
  std::string unit;
  std::size_t rows = 14;
  std::size_t widest = 96;  // most columns of the plot without its axis
  // Other values over the same time, each one per value: a line of blocks below the times.
  std::vector<std::vector<double>> strips{};
};

// Rows of text within the width of `style`: the axis, "━" for the line on "░▒▓" for the bands (ASCII: "*" on ".:="),
// "│" at `start`, the times below, then the strips. Fails if no value is known, if a band is not as long as the line,
// or if there are more than three bands.
Result<std::string> Render(const TerminalPlot& plot, const TerminalStyle& style);

}  // namespace heliostat::report
