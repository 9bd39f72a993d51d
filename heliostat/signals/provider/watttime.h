#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// WattTime v3: the marginal operating emission rate (co2_moer) of a region per five minutes, modelled for the past and
// forecast for up to three days. Converts pounds per MWh to g/kWh. Zones are WattTime regions such as "CAISO_NORTH".
// Keys: HELIOSTAT_WATTTIME_USER and HELIOSTAT_WATTTIME_PASSWORD.
Result<Provider> MakeWattTime(const Dependencies& dependencies);

// Parses the body of /v3/historical.
Result<signal::Signal> ParseWattTimeHistorical(std::string_view body, const SignalRequest& request, Instant now);

// Parses the body of /v3/forecast.
Result<IssuedSignal> ParseWattTimeForecast(std::string_view body, const SignalRequest& request, Instant now);

}  // namespace heliostat::provider
