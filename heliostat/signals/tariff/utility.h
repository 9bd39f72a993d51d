#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

struct Utility {
  std::string_view name;
  std::string_view time_zone;
};

// The utility that a name of a tariff, a company or a file speaks of, among those
// whose zone we know: "SCE TOU-EV-4", "Detroit Edison Co", "billing_pge.csv".
std::optional<Utility> FindUtility(std::string_view text);

// Fills in the zone, and the utility where empty, from the tariff's own names or
// its file's; says so in the notes, also when nothing is known.
void AddTimeZone(Tariff& tariff);

}  // namespace heliostat::tariff
