#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// Whether these bytes seem to be one of the formats below. Cheap; reading decides.
bool LooksLikeTariff(std::string_view text);

// The tariffs of a file: OpenEI URDB JSON ("urdb"), an acnportal schedule
// ("acn-tariff") or a table of charges ("csv-tariff"). Each covers every hour of
// the year with exactly one rate; anything else is an error with file and place.
Result<std::vector<Tariff>> ReadTariffs(std::string_view text, const std::string& file);

// The only tariff of a file, or the one called `name`.
Result<Tariff> ReadTariff(std::string_view text, const std::string& file, std::string_view name = {});

}  // namespace heliostat::tariff
