#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/rolling_forecast.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::sim {

// One signal of a scenario, to be forecast slot by slot. `truth` is one value per slot. `past` may be on another step,
// and is brought to the scenario's. The model must be known.
forecast::RollingForecast SlotForecast(const scenario::Scenario& scenario,
                                       const std::optional<signal::StepSeries>& past, const std::vector<double>& truth,
                                       signal::Kind kind, const std::string& model);

}  // namespace heliostat::sim
