#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::report {

// The range around a line that holds the truth with some probability.
struct Fan {
  std::vector<double> low;
  std::vector<double> high;
};

// A line over time with the bands around it, drawn with characters: what was
// known up to `start`, what is forecast from there.
struct TerminalPlot {
  Instant start;
  Duration step;
  std::vector<double> before;  // values up to `start`, without bands; may be empty
  std::vector<double> values;  // from `start` on; missing ones leave a hole
  std::vector<Fan> bands;      // widest first, up to three; each as long as `values`
  std::string unit;
  std::size_t rows = 14;
  std::size_t widest = 96;  // columns of the drawing itself, however wide the terminal is
};

// Rows of text: the axis, "━" for the line on "░▒▓" for the bands (ASCII: "*" on
// ".:="), "│" at `start`, and the times below. Within the style's width. An
// error when nothing is known or a band is not as long as the line.
Result<std::string> Render(const TerminalPlot& plot, const TerminalStyle& style);

}  // namespace heliostat::report
