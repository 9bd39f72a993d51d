#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::report {

// A bar over a span of time. `shade` is an index into GanttChart::shades; a higher one has a stronger colour.
struct GanttBar {
  Interval span;
  std::size_t shade = 0;
  std::string hint;  // shown when the pointer is on the bar
};

// One row of a GanttChart.
struct GanttRow {
  std::string label;
  std::optional<Interval> window;  // allowed time, a thin line behind the bars
  std::vector<GanttBar> bars;
  std::string link{};  // to this id of the page; empty: none
};

// Rows of bars over one time axis: what runs when.
struct GanttChart {
  std::string title;
  std::string shade_name;           // meaning of the shades: "workers"
  std::vector<std::string> shades;  // legend from least to most; higher ones share the last colour
  Interval span;                    // bars are cut to it
  std::vector<GanttRow> rows;
  double width = 960;
  double label_room = 0;  // least width of the labels in pixels, as LineChart::axis_room
};

// The chart as SVG. With many rows, rows are thinner and have no labels. Fails if the span is empty or there are no
// rows.
Result<std::string> Render(const GanttChart& chart);

}  // namespace heliostat::report
