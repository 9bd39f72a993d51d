#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/step_series.h"
#include "heliostat/ui/report/svg.h"

namespace heliostat::report {

// Points joined by lines. A missing y breaks the line. x must not decrease, and x and y must have the same length.
// Lines and bands without a label are not in the legend.
struct Line {
  std::string label;
  std::vector<double> x;
  std::vector<double> y;
  Colour colour = Colour::kBlue;
  Pen pen = Pen::kSolid;
};

// The area between `low` and `high`, with a gap where either is missing.
struct ChartBand {
  std::string label;
  std::vector<double> x;
  std::vector<double> low;
  std::vector<double> high;
  Colour colour = Colour::kBlue;
};

// A part of the x axis, shaded from top to bottom.
struct ChartSpan {
  std::string label;
  double from = 0;
  double to = 0;
  Colour colour = Colour::kGreen;
};

// A series drawn as steps, its x in seconds since 1970.
Line StepsOf(std::string label, const signal::StepSeries& series, Colour colour);

// Lines and bands over one x axis.
struct LineChart {
  enum class X { kUtcTime, kNumber };

  std::string title;
  std::string unit;     // of the y axis, shown next to the title
  std::string x_label;  // empty: a time axis shows its first and last day
  X x = X::kUtcTime;
  std::vector<double> x_ticks;  // ticks of a number axis, which ends at the first and the last
  std::vector<Line> lines;
  std::vector<ChartBand> bands;
  double width = 720;
  double height = 220;          // with one row of title and legend; more rows add to it
  bool from_zero = false;       // the y axis includes 0
  std::vector<double> marks{};  // x values of vertical lines
  std::vector<ChartSpan> spans{};
  double axis_room = 0;  // least width of the y axis in pixels, to align charts below each other
};

// The chart as SVG. The legend is next to the title if it fits, else in rows below it. A line with more points than
// pixels is drawn by the lowest and highest value of each pixel column, so that no peak is lost. Fails if no value is
// known, or if x and y differ in length.
Result<std::string> Render(const LineChart& chart);

}  // namespace heliostat::report
