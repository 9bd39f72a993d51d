#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// The hourly grid monitor of the U.S. Energy Information Administration (form
// EIA-930, API v2): generation by energy source of a balancing authority, turned
// here into the average intensity of its generation with the factors of
// emission_factors.h, on a life-cycle or a direct basis (HELIOSTAT_EIA_BASIS).
// Zones are EIA's codes, such as "CISO" or "ERCO". Imports are not counted.
// Key: HELIOSTAT_EIA_KEY. Forecasts nothing.
Result<Provider> MakeEia(const Dependencies& dependencies);

// The text of /v2/electricity/rto/fuel-type-data/data/. Its hours are named by
// their end. An hour is missing when a source that reports in other hours does
// not, or when more than a fifth of it comes from sources without a factor.
Result<signal::Signal> ParseEiaGeneration(std::string_view body, const SignalRequest& request, Instant now,
                                          signal::Basis basis);

}  // namespace heliostat::provider
