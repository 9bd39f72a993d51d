#pragma once

#include <optional>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/ui/report/forecast_page.h"

namespace heliostat::cli {

// Of all forecasts of a model, the one that half of the others beat. Nothing
// when no error is known.
std::optional<report::ForecastExample> MedianForecast(const forecast::ModelResult& model,
                                                      const signal::StepSeries& target);

// Of all weeks, the one that half of the others beat, as a user of the model
// would have seen it: each forecast until the next one, `every` later. Nothing
// when the forecasts do not reach each other or span no week.
std::optional<report::ForecastExample> MedianWeek(const forecast::ModelResult& model, const signal::StepSeries& target,
                                                  Duration every);

}  // namespace heliostat::cli
