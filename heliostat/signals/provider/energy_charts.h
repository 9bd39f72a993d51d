#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// Energy-Charts of Fraunhofer ISE: day-ahead prices of European bidding zones in EUR/MWh, hourly until 2025-09-30 and
// per quarter of an hour since then. No key. Zones are codes of Energy-Charts, such as "DE-LU", "FR" or "SE3". Prices
// of delivered hours are the measurements; the whole auction, including the next day, is the forecast.
Result<Provider> MakeEnergyCharts(const Dependencies& dependencies);

// Parses the body of /price.
Result<signal::Signal> ParseEnergyChartsPrice(std::string_view body, const SignalRequest& request, Instant now,
                                              AnswerRole role);

}  // namespace heliostat::provider
