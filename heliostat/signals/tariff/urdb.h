#pragma once

#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// Reads tariffs of the Utility Rate Database of OpenEI: an answer with "items", or a single item. Periods are numbered;
// 12 x 24 tables for working days and weekends map each hour to a period.
Result<std::vector<Tariff>> ReadUrdb(const io::Json& document, const std::string& file);

}  // namespace heliostat::tariff
