#pragma once

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// Energy-Charts of Fraunhofer ISE: day-ahead prices of European bidding zones in
// EUR/MWh, hourly until 2025-09-30 and every quarter of an hour since; no key.
// Zones are its codes, such as "DE-LU", "FR" or "SE3". What is delivered already
// is measured; the whole auction, tomorrow included, is the forecast.
Result<Provider> MakeEnergyCharts(const Dependencies& dependencies);

// The text of /price.
Result<signal::Signal> ParseEnergyChartsPrice(std::string_view body, const SignalRequest& request, Instant now,
                                              AnswerRole role);

}  // namespace heliostat::provider
