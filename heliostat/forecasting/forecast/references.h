#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heliostat/forecasting/forecast/forecaster.h"

namespace heliostat::forecast {

// What a forecast has to beat. A past value that is missing is looked for one
// period earlier still, and in the end the newest known one stands in.

// Repeats the newest known value.
std::unique_ptr<Forecaster> MakePersistence();
// What was at the same time one `period` before; further ahead than that, the
// newest period over again. Needs a period of history.
std::unique_ptr<Forecaster> MakeSeasonal(std::string_view name, Duration period);
// The mean of the same slot of the week over the newest eight weeks.
std::unique_ptr<Forecaster> MakeClimatology();

// The index of the newest known value; an error in the name of `where` when
// there is none.
Result<std::size_t> NewestKnown(const signal::StepSeries& series, const std::string& where);

}  // namespace heliostat::forecast
