#pragma once

#include <string>
#include <vector>

#include "heliostat/signals/signal/meaning.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::signal {

// A series and what it means, under the name that its file or provider gave it.
struct Signal {
  std::string name;
  Meaning meaning;
  StepSeries series;
};

// What somebody said at `issued` about the time after it.
struct ForecastRun {
  Instant issued;
  StepSeries series;
};

}  // namespace heliostat::signal
