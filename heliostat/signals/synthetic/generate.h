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

// A built-in synthetic zone, valid for any year. Named after the kind of grid that it represents.
struct ZoneFacts {
  std::string_view name;         // "wind-heavy"
  std::string_view description;  // one sentence about its behaviour
  std::string_view stands_for;   // the real zone, "US-TEX-ERCO"; empty when there is none
  std::string_view basis;        // the real data to which each part was fitted
  Currency currency;             // of its prices
  double latitude;
  double longitude;
  int utc_offset_hours;  // of local standard time, which defines its days and weekends
};

// All zones, in a fixed order. The views are valid until the program ends.
std::span<const ZoneFacts> Zones();
// kNotFound when no zone has that name.
Result<const ZoneFacts*> FindZone(std::string_view name);

// The signals of a zone.
enum class TraceKind { kCarbon, kSolar, kWind, kPrice };

// The request for one signal of a zone.
struct ZoneRequest {
  std::string_view zone;
  TraceKind trace = TraceKind::kCarbon;
  Interval interval;    // between 1900 and 2300, a whole number of steps
  Duration step{3600};  // a minute to a day
  std::uint64_t seed = 1;
  // For sun and wind only: with a capacity the series is in kW, without it a capacity factor.
  std::optional<Watts> capacity = std::nullopt;
};

// Makes the series of a request. It is a function of (zone, seed, time) alone: any two requests agree where they
// overlap, and the mean of fine steps is the coarse step (up to rounding). Carbon, sun, wind and price of one zone and
// seed are correlated: a windy week is clean and cheap. kNotFound for an unknown zone, kInvalidArgument for values out
// of range. Thread-safe.
//
// Each value is the mean over its step; values repeat within five minutes (prices: within an hour).
Result<signal::Signal> Generate(const ZoneRequest& request);

}  // namespace heliostat::synthetic
