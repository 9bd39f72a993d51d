#pragma once

#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// Rates as OpenEI's Utility Rate Database publishes them: an answer with "items",
// or one item alone. Periods are numbered; 12 x 24 tables for working days and
// weekends say which holds when.
Result<std::vector<Tariff>> ReadUrdb(const io::Json& document, const std::string& file);

}  // namespace heliostat::tariff
