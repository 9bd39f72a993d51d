#pragma once

#include <optional>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/ui/report/forecast_page.h"

namespace heliostat::cli {

// The forecast of a model with the median error of all its forecasts. nullopt if no error is known.
std::optional<report::ForecastExample> MedianForecast(const forecast::ModelResult& model,
                                                      const signal::StepSeries& target);

// The week with the median error of all weeks, made of consecutive forecasts: each applies until the next one, `every`
// later. nullopt if a week is not a multiple of `every`, if a forecast is shorter than `every`, or if the forecasts
// cover less than a week.
std::optional<report::ForecastExample> MedianWeek(const forecast::ModelResult& model, const signal::StepSeries& target,
                                                  Duration every);

}  // namespace heliostat::cli
