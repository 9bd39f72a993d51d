#pragma once

#include <span>

#include "heliostat/signals/provider/connection.h"

namespace heliostat::provider {

// The ENTSO-E transparency platform: day-ahead prices (document type A44) of European bidding zones in EUR/MWh, per
// hour or per quarter of an hour. Zones are names such as "DE-LU" or "SE3" from EntsoeZones(), or a 16-character EIC
// code. Key: HELIOSTAT_ENTSOE_TOKEN. Prices of delivered hours are the measurements; the whole auction, including the
// next day, is the forecast.
Result<Provider> MakeEntsoe(const Dependencies& dependencies);

// Parses a Publication_MarketDocument. Periods of different resolutions become one series at the finest of them: the
// price of an hour holds for each of its quarters.
Result<signal::Signal> ParseEntsoePrices(std::string_view body, const SignalRequest& request, Instant now,
                                         AnswerRole role);

// A bidding zone by name and by code.
struct EntsoeZone {
  std::string_view name;
  std::string_view eic;  // energy identification code
};
std::span<const EntsoeZone> EntsoeZones();

}  // namespace heliostat::provider
