#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// Electricity Maps v3: hourly average intensity of consumption (imports are traced to their origin), measured and
// forecast, on a life-cycle or a direct basis (HELIOSTAT_ELECTRICITYMAPS_BASIS). Zones are those of Electricity Maps,
// such as "DE" or "US-CAL-CISO". Key: HELIOSTAT_ELECTRICITYMAPS_TOKEN.
Result<Provider> MakeElectricityMaps(const Dependencies& dependencies);

// Parses the body of /v3/carbon-intensity/past-range or /history.
Result<signal::Signal> ParseElectricityMapsPast(std::string_view body, const SignalRequest& request, Instant now,
                                                signal::Basis basis);

// Parses the body of /v3/carbon-intensity/forecast.
Result<IssuedSignal> ParseElectricityMapsForecast(std::string_view body, const SignalRequest& request, Instant now,
                                                  signal::Basis basis);

}  // namespace heliostat::provider
