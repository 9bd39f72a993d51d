#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"

namespace heliostat {

// A moment: UTC, whole seconds. io::TimeZone converts from and to local time.
using Instant = std::chrono::sys_seconds;
using Duration = std::chrono::seconds;

// A half-open range of time: `begin` is inside, `end` is not. Empty when begin == end.
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

// A date and time of day as written in a file, before its time zone is known.
struct CivilTime {
  std::chrono::local_seconds local;
  // Present when the text itself gives an offset ("Z", "+00:00", "-0600").
  std::optional<std::chrono::minutes> utc_offset;
};

// Reads "YYYY-MM-DD[ T]HH:MM[:SS[.000]][Z|+HH:MM|+HHMM|+HH]" or "YYYY-MM-DD"; a fraction of a second must be zero.
// std::nullopt for any other text and for a date that does not exist.
std::optional<CivilTime> ParseIsoTime(std::string_view text);

// Reads "MM/DD/YYYY HH:MM[:SS]"; std::nullopt for any other text.
std::optional<CivilTime> ParseAmericanTime(std::string_view text);

// The day `year`-`month`-`day`; std::nullopt if the calendar has no such day.
std::optional<std::chrono::local_days> CivilDay(int year, unsigned month, unsigned day);

// Reads a UTC instant that a user wrote, as ParseIsoTime() does; without an offset the time is UTC. `where` names the
// option or cell in the error.
Result<Instant> ParseInstant(std::string_view text, std::string_view where);

// Reads a length of time that a user wrote: "90s", "30m", "24h", "7d", "2w", or a sum such as "1h30m". Accepts more
// than zero, up to 36600 days.
Result<Duration> ParseDuration(std::string_view text, std::string_view where);

// "2023-06-01T00:00:00Z".
std::string FormatInstant(Instant t);
// "5 min", "1 h", "2 d": in the largest unit up to days that divides `d`.
std::string FormatDuration(Duration d);

}  // namespace heliostat
