#pragma once

#include <memory>
#include <vector>

#include "heliostat/forecasting/forecast/forecaster.h"

namespace heliostat::forecast {

// What others had said by `origin` about the `steps` from then on: for each the
// newest value, missing where nobody had said anything. Looks at nothing issued
// later, so that any origin inside a history may be asked about and answers as
// Before(history, origin) would.
std::vector<double> IssuedAt(const History& history, Instant origin, std::size_t steps);

// Answers with what others said, and with yesterday's values beyond their reach.
// Fails on a history that holds nobody else's forecast.
std::unique_ptr<Forecaster> MakeProvider();

}  // namespace heliostat::forecast
