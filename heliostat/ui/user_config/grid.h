#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "heliostat/ui/user_config/config.h"

namespace heliostat::user_config {

// The zone of the electricity grid that a command follows, and who supplies its carbon intensity.
struct Grid {
  std::string zone;      // empty: none is known
  std::string provider;  // empty: `is_built_in`, or nothing supplies the zone
  bool is_built_in = false;
  std::string from;     // where the zone comes from: "option 'zone'", "HELIOSTAT_ZONE", "time zone Europe/Berlin"
  std::string trouble;  // why there is no signal, and what to do; empty when there is one
};

// Chooses the zone: `zone` (an option; may be empty), else that of `config`, else the one zone of the time zone. The
// provider: `provider` (an option), else that of `config`, else none for a built-in zone, else the first of these that
// supplies the zone and needs no key or has one: neso, electricity-maps, eia.
Grid ChooseGrid(const Config& config, const Environment& environment, const std::string& zone,
                const std::string& provider);

// The machine's time zone, such as "Europe/Berlin": TZ, else the link /etc/localtime, else /etc/timezone; empty when
// none of them names one.
std::string MachineTimeZone(const Environment& environment);

// Time zones that name one zone of a grid, with that zone. Small parts on other grids, such as Corsica and Northern
// Ireland, do not count.
std::span<const std::pair<std::string_view, std::string_view>> TimeZonesOfOneZone();
// The zone of the grid that a time zone names; empty where it names several, or none that we know.
std::string_view ZoneOfTimeZone(std::string_view time_zone);

}  // namespace heliostat::user_config
