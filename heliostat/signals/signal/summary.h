#pragma once

#include <array>
#include <span>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {

// Count, range and mean of the known values. min, mean and max are NaN when no value is known.
struct Summary {
  std::size_t count = 0;  // known and missing
  std::size_t missing = 0;
  double min = Missing();
  double mean = Missing();
  double max = Missing();
};

Summary Summarize(std::span<const double> values);

// The mean of the known values per hour of the UTC day; missing where none is known.
std::array<double, 24> TypicalDay(const StepSeries& series);

// The mean of each UTC day from the first to the last; missing where no value is known.
struct DailyMeans {
  std::chrono::sys_days first;
  std::vector<double> means;
};
DailyMeans MeansByDay(const StepSeries& series);

}  // namespace heliostat::signal
