#pragma once

#include <span>
#include <string_view>

namespace heliostat::provider {

// Emissions per kWh of a kind of plant, by EIA's code of its energy source. Life-cycle: medians of IPCC AR5 WG3 (2014),
// Annex III, table A.III.2; for oil, which that table lacks, UK Parliamentary Office of Science and Technology,
// POSTnote 268 (2006). Direct: EIA, "How much carbon dioxide is produced per kilowatthour of U.S. electricity
// generation?", year 2023: 2.31, 0.96 and 2.46 lb/kWh of coal, natural gas and petroleum. EIA counts biomass, hydro,
// solar and wind as 0. Nuclear burns nothing; geothermal plants vent little and count as 0.
struct EmissionFactor {
  std::string_view fuel;
  double lifecycle_g_per_kwh;
  double direct_g_per_kwh;
};

std::span<const EmissionFactor> EiaEmissionFactors();

// The factor of a fuel. nullptr for storage, which generates nothing, and for "other" and "unknown".
const EmissionFactor* FindEmissionFactor(std::string_view fuel);

// True for batteries and pumped storage: the energy they return was counted when it was generated.
bool IsStorage(std::string_view fuel);

}  // namespace heliostat::provider
