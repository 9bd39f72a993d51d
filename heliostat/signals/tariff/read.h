#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// True when the text seems to be one of the formats below. Cheap: it looks for keys and does not parse.
bool LooksLikeTariff(std::string_view text);

// Reads the tariffs of a file: OpenEI URDB JSON ("urdb"), an acnportal schedule ("acn-tariff") or a table of charges
// ("csv-tariff"). Each has exactly one rate for every hour of the year; anything else is an error with file and place.
Result<std::vector<Tariff>> ReadTariffs(std::string_view text, const std::string& file);

// The tariff `name` of a file; with an empty name, the only one. kInvalidArgument when there are several, kNotFound
// when none has that name.
Result<Tariff> ReadTariff(std::string_view text, const std::string& file, std::string_view name = {});

}  // namespace heliostat::tariff
