#pragma once

#include <optional>
#include <vector>

#include "heliostat/signals/signal/step_series.h"

namespace heliostat::scenario {

// What was measured before a scenario begins: what forecasts learn from. Each ends where the scenario starts, on
// whatever step its file has, in g/kWh, kW, money a kWh and requests/s. Missing ones are no error: less is known.
struct Past {
  std::optional<signal::StepSeries> carbon;
  std::optional<signal::StepSeries> renewable;
  std::optional<signal::StepSeries> price;
  std::vector<std::optional<signal::StepSeries>> requests;  // one a service, or empty
};

}  // namespace heliostat::scenario
