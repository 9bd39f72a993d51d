#pragma once

#include <optional>
#include <vector>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::scenario {

// Measurements from before the scenario, from which forecasts learn. Each series ends at the start of the scenario and
// has the step of its file. Units are g/kWh, kW, money per kWh and requests/s. A missing series is not an error;
// forecasts have less data then.
struct Past {
  std::optional<signal::StepSeries> carbon;
  std::optional<signal::StepSeries> renewable;
  std::optional<signal::StepSeries> price;
  std::vector<std::optional<signal::StepSeries>> requests;  // one per service, or empty
};

}  // namespace heliostat::scenario
