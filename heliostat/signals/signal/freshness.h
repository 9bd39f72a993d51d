#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "heliostat/base/core/time.h"

namespace heliostat::signal {

// How the value of a moment is known. Decided where the signal is requested, and passed on to the ledger.
enum class Freshness {
  kMeasured,     // measured, or within the requested age
  kForecast,     // not published yet; forecast from values that are recent enough
  kStale,        // from values that are too old, or incomplete because the provider did not answer
  kClimatology,  // not measured: the usual value at that time of the week
};
// "measured", "forecast", "stale", "climatology".
std::string_view NameOf(Freshness freshness);
// std::nullopt for any other name.
std::optional<Freshness> FreshnessNamed(std::string_view name);

// The ages that separate the kinds of freshness.
struct FreshnessLimits {
  // Providers publish some time after the fact; up to this age a value counts as recent.
  Duration max_age = std::chrono::hours{1};
  // Beyond this age the usual values predict the present better than the last values do.
  Duration max_stale = std::chrono::hours{6};
};

// The freshness of a moment that is `age` after the end of the newest measured value; kMeasured for 0 or less. When
// max_age exceeds max_stale, max_age is the limit of both.
Freshness FreshnessAfter(Duration age, const FreshnessLimits& limits);

}  // namespace heliostat::signal
