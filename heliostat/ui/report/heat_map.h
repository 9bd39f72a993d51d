#pragma once

#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::report {

// A signal as a carpet: a column per day, a row per hour of the day. Shows at
// one look what the season, the hour and the weather do.
struct HeatMap {
  std::string title;
  std::string unit;
  int utc_offset_hours = 0;  // rows are hours of this clock
  double width = 720;
  double height = 190;
};

// SVG of hourly means. Nine colours over the middle 90 % of the values: outliers
// share the end colours and do not wash out the rest. Missing hours stay grey.
Result<std::string> Render(const HeatMap& map, const signal::StepSeries& series);

}  // namespace heliostat::report
