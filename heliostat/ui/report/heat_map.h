#pragma once

#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::report {

// A signal by day and hour: one column per day, one row per hour of the day, so that season, time of day and weather
// show in one picture.
struct HeatMap {
  std::string title;
  std::string unit;
  int utc_offset_hours = 0;  // of the clock of the rows
  double width = 720;
  double height = 190;
};

// The map of hourly means as SVG. Nine colours cover the middle 90 % of the values; outliers have the colours at the
// ends. Missing hours are grey. Fails if no hour is known.
Result<std::string> Render(const HeatMap& map, const signal::StepSeries& series);

}  // namespace heliostat::report
