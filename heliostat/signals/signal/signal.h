#pragma once

#include <string>
#include <vector>

#include "heliostat/signals/signal/meaning.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {

// A series and its meaning, under the name that its file or provider uses.
struct Signal {
  std::string name;
  Meaning meaning;
  StepSeries series;
};

// A forecast that was issued at `issued`.
struct ForecastRun {
  Instant issued;
  StepSeries series;
};

}  // namespace heliostat::signal
