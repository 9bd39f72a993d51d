#include "heliostat/signals/provider/registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/nearest.h"
#include "heliostat/signals/provider/eia.h"
#include "heliostat/signals/provider/electricity_maps.h"
#include "heliostat/signals/provider/energy_charts.h"
#include "heliostat/signals/provider/entsoe.h"
#include "heliostat/signals/provider/neso.h"
#include "heliostat/signals/provider/watttime.h"

namespace heliostat::provider {
namespace {

struct Entry {
  ProviderFacts facts;
  Result<Provider> (*make)(const Dependencies&);
};

const std::vector<Entry>& Entries() {
  using signal::Kind;
  static const std::vector<Entry> kEntries{
      {{"eia",
        "U.S. balancing authorities, hourly, from generation by source",
        Kind::kCarbonIntensity,
        true,
        false,
        {"HELIOSTAT_EIA_KEY"}},
       MakeEia},
      {{"electricity-maps",
        "World, hourly average of consumption",
        Kind::kCarbonIntensity,
        true,
        true,
        {"HELIOSTAT_ELECTRICITYMAPS_TOKEN"}},
       MakeElectricityMaps},
      {{"energy-charts", "European day-ahead prices, no key", Kind::kPrice, true, true, {}}, MakeEnergyCharts},
      {{"entsoe", "European day-ahead prices", Kind::kPrice, true, true, {"HELIOSTAT_ENTSOE_TOKEN"}}, MakeEntsoe},
      {{"neso", "Great Britain, half-hourly, no key", Kind::kCarbonIntensity, true, true, {}}, MakeNeso},
      {{"watttime",
        "Marginal intensity every five minutes",
        Kind::kCarbonIntensity,
        true,
        true,
        {"HELIOSTAT_WATTTIME_USER", "HELIOSTAT_WATTTIME_PASSWORD"}},
       MakeWattTime},
  };
  return kEntries;
}

}  // namespace

std::span<const ProviderFacts> ProviderList() {
  static const std::vector<ProviderFacts> kList = [] {
    std::vector<ProviderFacts> facts;
    for (const auto& entry : Entries()) facts.push_back(entry.facts);
    return facts;
  }();
  return kList;
}

Result<ProviderFacts> FindProvider(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& facts : ProviderList()) {
    if (facts.name == name) return facts;
    names.push_back(facts.name);
  }
  const std::string what = name.empty() ? "is missing" : fmt::format("'{}' is not known", Printable(name, 60));
  return Fail(ErrorCode::kNotFound, "provider", what, OneOf(name, names));
}

Result<Provider> MakeProvider(std::string_view name, const Dependencies& dependencies) {
  for (const auto& entry : Entries()) {
    if (entry.facts.name == name) return entry.make(dependencies);
  }
  return Propagate(FindProvider(name));
}

}  // namespace heliostat::provider
