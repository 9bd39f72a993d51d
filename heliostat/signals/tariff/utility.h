#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// A utility and the time zone of its customers.
struct Utility {
  std::string_view name;
  std::string_view time_zone;
};

// The known utility that `text`, a name of a tariff, a company or a file, contains: "SCE TOU-EV-4", "Detroit Edison
// Co", "billing_pge.csv". std::nullopt when it contains none.
std::optional<Utility> FindUtility(std::string_view text);

// Sets the time zone, and the utility if empty, from the names in the tariff or the name of its file. Adds a note in
// any case, also when no utility is found.
void AddTimeZone(Tariff& tariff);

}  // namespace heliostat::tariff
