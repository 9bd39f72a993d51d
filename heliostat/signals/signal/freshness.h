#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "heliostat/base/core/time.h"

namespace heliostat::signal {

// How the value of a moment is known: decided where the signal is asked for, and carried from there to the ledger.
enum class Freshness {
  kMeasured,     // measured, or as recent as was asked for
  kForecast,     // not published yet, and forecast from values that are recent enough
  kStale,        // from values that are too old, or a part that the provider should have given is absent
  kClimatology,  // not measured: what is usual at that time of the week
};
// "measured", "forecast", "stale", "climatology".
std::string_view NameOf(Freshness freshness);
std::optional<Freshness> FreshnessNamed(std::string_view name);

struct FreshnessLimits {
  // Providers publish a while after the fact: up to here nothing is amiss.
  Duration max_age = std::chrono::hours{1};
  // Older than this, the last values say less about now than the usual ones do.
  Duration max_stale = std::chrono::hours{6};
};

// Of a moment that lies `age` after the end of the newest measured value; 0 or less: within it. A `max_age` beyond
// `max_stale` takes its place.
Freshness FreshnessAfter(Duration age, const FreshnessLimits& limits);

}  // namespace heliostat::signal
