#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::synthetic {

// A built-in zone: made, not measured, and good for any year. Named after the
// kind of grid that it stands for.
struct ZoneFacts {
  std::string_view name;         // "wind-heavy"
  std::string_view description;  // one plain sentence on how it behaves
  std::string_view stands_for;   // the real zone, "US-TEX-ERCO"; empty when there is none
  std::string_view basis;        // which part was fitted to which real data
  Currency currency;             // of its prices
  double latitude;
  double longitude;
  int utc_offset_hours;  // of local standard time, which its days and weekends follow
};

// In a fixed order. The views live as long as the program.
std::span<const ZoneFacts> Zones();
Result<const ZoneFacts*> FindZone(std::string_view name);

enum class TraceKind { kCarbon, kSolar, kWind, kPrice };

struct ZoneRequest {
  std::string_view zone;
  TraceKind trace = TraceKind::kCarbon;
  Interval interval;    // within 1900 .. 2300, a whole number of steps
  Duration step{3600};  // a minute to a day
  std::uint64_t seed = 1;
  // Of sun and wind: with it the series is in kW, without it a capacity factor.
  std::optional<Watts> capacity = std::nullopt;
};

// The series of a request. The signal behind it is a function of (zone, seed,
// time) alone: any two requests agree where they overlap, and the mean of fine
// steps is the coarse step (to rounding). Carbon, sun, wind and price of one zone
// and seed belong together: a windy week is clean and cheap. Thread-safe.
//
// A sample is the mean over its step; below five minutes (prices: an hour)
// samples repeat.
Result<signal::Signal> Generate(const ZoneRequest& request);

}  // namespace heliostat::synthetic
