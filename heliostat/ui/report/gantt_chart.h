#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::report {

// Something that goes on for a while. A stronger colour is more: `shade` counts from 0 into the chart's shades.
struct GanttBar {
  Interval span;
  std::size_t shade = 0;
  std::string hint;  // shown when pointed at
};

struct GanttRow {
  std::string label;
  std::optional<Interval> window;  // when it may go on: a thin line behind the bars
  std::vector<GanttBar> bars;
};

// What runs when: a row each, over one time axis.
struct GanttChart {
  std::string title;
  std::string shade_name;           // what shades stand for: "workers"
  std::vector<std::string> shades;  // names from least to most, in the legend; bars beyond share the last colour
  Interval span;                    // what lies outside is cut off
  std::vector<GanttRow> rows;
  double width = 960;
  double label_room = 0;  // pixels at least, as axis_room of a LineChart
};

// SVG. Rows get thinner, and lose their labels, as they get more. An error for an empty span or no rows.
Result<std::string> Render(const GanttChart& chart);

}  // namespace heliostat::report
