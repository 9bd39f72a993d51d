#pragma once

#include <span>

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// The ENTSO-E transparency platform: day-ahead prices (document type A44) of
// European bidding zones in EUR/MWh, by the hour or the quarter of an hour. Zones
// are names such as "DE-LU" or "SE3" from EntsoeZones(), or a 16-character EIC
// code. Key: HELIOSTAT_ENTSOE_TOKEN. What is delivered already is measured; the
// whole auction, tomorrow included, is the forecast.
Result<Provider> MakeEntsoe(const Dependencies& dependencies);

// A Publication_MarketDocument. Periods of different resolution become one series
// of the finest, since a price of an hour is the price of its quarters.
Result<signal::Signal> ParseEntsoePrices(std::string_view body, const SignalRequest& request, Instant now,
                                         AnswerRole role);

struct EntsoeZone {
  std::string_view name;
  std::string_view eic;  // energy identification code
};
std::span<const EntsoeZone> EntsoeZones();

}  // namespace heliostat::provider
