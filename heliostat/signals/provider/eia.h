#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// The hourly grid monitor of the U.S. Energy Information Administration (form EIA-930, API v2). It gives generation per
// energy source of a balancing authority. The provider computes the average intensity of that generation with the
// factors of emission_factors.h, on a life-cycle or a direct basis (HELIOSTAT_EIA_BASIS). Zones are EIA codes such as
// "CISO" or "ERCO". Imports are not counted. Key: HELIOSTAT_EIA_KEY. No forecasts.
Result<Provider> MakeEia(const Dependencies& dependencies);

// Parses the body of /v2/electricity/rto/fuel-type-data/data/, which labels hours by their end. An hour is missing when
// a source that reports in other hours does not report in it, or when more than a fifth of its generation comes from
// sources without a factor.
Result<signal::Signal> ParseEiaGeneration(std::string_view body, const SignalRequest& request, Instant now,
                                          signal::Basis basis);

}  // namespace heliostat::provider
