#pragma once

#include <optional>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {

// A time of day whose values seem to belong to the day before or after: a defect of some published files, which makes
// that time hard to forecast.
struct MisplacedTime {
  Duration of_day{};      // from midnight UTC
  int days = 0;           // +1: the values fit the next day, -1: the day before
  double own_misfit = 0;  // mean distance to the neighbours, in the unit of the series
  double misfit = 0;      // the same where they fit
};

// The worst such time within the last 60 days. Its values are far from the mean of their neighbours, in comparison with
// other times of day, and close to it a day later or earlier. nullopt if there is none, if less than 20 days are known,
// or if a day is not a multiple of the step.
std::optional<MisplacedTime> FindMisplacedTime(const StepSeries& series);

}  // namespace heliostat::signal
