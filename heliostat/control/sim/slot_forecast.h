#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/rolling_forecast.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::sim {

// A rolling forecast of one signal of a scenario. `truth` has one value per slot. `past` may have another step; it is
// resampled to the scenario's. `model` must be a model of the forecast layer.
forecast::RollingForecast SlotForecast(const scenario::Scenario& scenario,
                                       const std::optional<signal::StepSeries>& past, const std::vector<double>& truth,
                                       signal::Kind kind, const std::string& model);

}  // namespace heliostat::sim
