#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"

namespace heliostat {

// UTC, whole seconds. Local time exists only where files are read and pages written.
using Instant = std::chrono::sys_seconds;
using Duration = std::chrono::seconds;

// Half-open: begin is inside, end is not. Empty when begin == end.
struct Interval {
  Instant begin;
  Instant end;

  Duration length() const { return end - begin; }
  bool empty() const { return end <= begin; }
  bool Contains(Instant t) const { return begin <= t && t < end; }
  bool Contains(const Interval& other) const { return begin <= other.begin && other.end <= end; }
  // The common part; empty (begin == end) when there is none.
  Interval Intersect(const Interval& other) const;
  friend bool operator==(const Interval&, const Interval&) = default;
};

// A date and time of day as it stands in a file, before anyone says in which zone.
struct CivilTime {
  std::chrono::local_seconds local;
  // Present when the text itself gives an offset ("Z", "+00:00", "-0600").
  std::optional<std::chrono::minutes> utc_offset;
};

// Reads "YYYY-MM-DD[ T]HH:MM[:SS[.000]][Z|+HH:MM|+HHMM|+HH]" or "YYYY-MM-DD"; a fraction must be zero. Nothing else,
// and no date that does not exist.
std::optional<CivilTime> ParseIsoTime(std::string_view text);

// "MM/DD/YYYY HH:MM[:SS]".
std::optional<CivilTime> ParseAmericanTime(std::string_view text);

// The day `year`-`month`-`day`, or nothing if there is no such day.
std::optional<std::chrono::local_days> CivilDay(int year, unsigned month, unsigned day);

// A UTC instant from a user: as ParseIsoTime, where no offset means UTC. `where` names the option or cell.
Result<Instant> ParseInstant(std::string_view text, std::string_view where);

// A length of time from a user: "90s", "30m", "24h", "7d", "2w", or a sum such as "1h30m". Positive.
Result<Duration> ParseDuration(std::string_view text, std::string_view where);

// "2023-06-01T00:00:00Z".
std::string FormatInstant(Instant t);
// "5 min", "1 h", "2 d": the largest unit that divides.
std::string FormatDuration(Duration d);

}  // namespace heliostat
