#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/step_series.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::report {

// Points joined by lines; a missing y breaks the line. x must not fall. Lines
// and bands without a label are not in the legend.
struct Line {
  std::string label;
  std::vector<double> x;
  std::vector<double> y;
  Colour colour = Colour::kBlue;
  Pen pen = Pen::kSolid;
};

// The area between `low` and `high`; missing where either is.
struct ChartBand {
  std::string label;
  std::vector<double> x;
  std::vector<double> low;
  std::vector<double> high;
  Colour colour = Colour::kBlue;
};

// A signal as the steps that it is, its x in seconds since 1970.
Line StepsOf(std::string label, const signal::StepSeries& series, Colour colour);

struct LineChart {
  enum class X { kUtcTime, kNumber };

  std::string title;
  std::string unit;     // of the y axis, shown beside the title
  std::string x_label;  // empty: for a time axis its first and last day
  X x = X::kUtcTime;
  std::vector<double> x_ticks;  // of a number axis: where to put ticks; the axis reaches from the first to the last
  std::vector<Line> lines;
  std::vector<ChartBand> bands;
  double width = 720;
  double height = 220;
  bool from_zero = false;       // the y axis includes 0
  std::vector<double> marks{};  // x values where something happens, each an upright line
  double axis_room = 0;         // pixels for the y axis at least: charts below each other begin at the same place
  // Lines of another unit, by an axis of their own on the right; their labels should name it.
  std::vector<Line> right_lines{};
  double right_room = 0;  // pixels for that axis at least
};

// SVG. The legend stands beside the title where it fits, else in rows of its own
// below. Lines of more points than pixels are drawn by the lowest and highest
// value of each pixel column, so that no spike is lost. An error when nothing
// is known, or when x and y differ in length.
Result<std::string> Render(const LineChart& chart);

}  // namespace heliostat::report
