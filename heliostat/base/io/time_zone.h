#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/time.h"

namespace heliostat::io {

// A zone of the time zone database of the system, or a fixed offset from UTC. Local time becomes UTC only here. On the
// days when clocks change, a local time can stand for no instant or for two. Immutable, cheap to copy.
class TimeZone {
 public:
  // Finds "Europe/Berlin", "UTC", "Z", or a fixed offset such as "+10:00". kInvalidArgument for any other name.
  static Result<TimeZone> Find(std::string_view name);
  static TimeZone Utc() { return Fixed(std::chrono::minutes{0}); }
  static TimeZone Fixed(std::chrono::minutes offset);

  // The instants at which a local clock shows `local`. `first` is absent when clocks skip that time; `second` is
  // present only when they show it twice.
  struct Reading {
    std::optional<Instant> first;
    std::optional<Instant> second;
  };
  Reading ToUtc(std::chrono::local_seconds local) const;

  std::chrono::local_seconds ToLocal(Instant t) const;
  const std::string& name() const { return name_; }

 private:
  struct Rules;  // a database entry
  TimeZone(std::string name, std::chrono::minutes offset, std::shared_ptr<const Rules> rules);

  std::string name_;
  std::chrono::minutes offset_;         // when fixed
  std::shared_ptr<const Rules> rules_;  // null when fixed
};

}  // namespace heliostat::io
