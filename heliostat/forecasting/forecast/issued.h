#pragma once

#include <memory>
#include <vector>

#include "heliostat/forecasting/forecast/forecaster.h"

namespace heliostat::forecast {

// The forecasts by others at `origin` for the next `steps` steps: the newest value per step, missing where there is
// none. Ignores anything issued later: the result for any origin inside a history is that for Before(history, origin).
std::vector<double> IssuedAt(const History& history, Instant origin, std::size_t steps);

// A model that answers with the forecasts by others, and with the values of the day before where they end. Fit() fails
// when the history has no such forecasts.
std::unique_ptr<Forecaster> MakeProvider();

}  // namespace heliostat::forecast
