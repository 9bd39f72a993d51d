#pragma once

#include <string_view>

#include "heliostat/base/core/time.h"
#include "heliostat/base/io/time_zone.h"

namespace heliostat::auto_parts {

struct Country;  // its public holidays

// The local weekday and holidays of a grid zone. An unknown zone has UTC and no holidays. Immutable.
class ZoneCalendar {
 public:
  static ZoneCalendar Of(std::string_view zone);

  struct Day {
    unsigned weekday;  // 0 Monday .. 6 Sunday
    bool holiday;
  };
  Day At(Instant t) const;

  bool knows_holidays() const { return country_ != nullptr; }

 private:
  ZoneCalendar(io::TimeZone time_zone, const Country* country) : time_zone_(std::move(time_zone)), country_(country) {}

  io::TimeZone time_zone_;
  const Country* country_;
};

}  // namespace heliostat::auto_parts
