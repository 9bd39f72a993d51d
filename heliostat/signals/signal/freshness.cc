#include "heliostat/signals/signal/freshness.h"

#include "heliostat/base/core/names.h"

namespace heliostat::signal {
namespace {

constexpr auto kNames = NamesOf<Freshness>({{Freshness::kMeasured, "measured"},
                                            {Freshness::kForecast, "forecast"},
                                            {Freshness::kStale, "stale"},
                                            {Freshness::kClimatology, "climatology"}});

}  // namespace

std::string_view NameOf(Freshness freshness) { return kNames.NameOf(freshness); }
std::optional<Freshness> FreshnessNamed(std::string_view name) { return kNames.Find(name); }

Freshness FreshnessAfter(Duration age, const FreshnessLimits& limits) {
  if (age <= Duration{0}) return Freshness::kMeasured;
  if (age <= limits.max_age) return Freshness::kForecast;
  return age <= limits.max_stale ? Freshness::kStale : Freshness::kClimatology;
}

}  // namespace heliostat::signal
