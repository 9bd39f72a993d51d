#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heliostat/forecasting/forecast/forecaster.h"

namespace heliostat::forecast {

// Simple models as a reference for others. They replace a missing past value by the one a period earlier, and finally
// by the newest known value.

// A model that repeats the newest known value.
std::unique_ptr<Forecaster> MakePersistence();
// A model that repeats the value of one `period` before; further ahead it repeats the newest period. Needs a history of
// at least one period.
std::unique_ptr<Forecaster> MakeSeasonal(std::string_view name, Duration period);
// A model that predicts the mean of the same slot of the week over the newest eight weeks.
std::unique_ptr<Forecaster> MakeClimatology();

// The index of the newest known value; kInvalidArgument with `where` when there is none.
Result<std::size_t> NewestKnown(const signal::StepSeries& series, const std::string& where);

}  // namespace heliostat::forecast
