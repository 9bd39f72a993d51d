#pragma once

#include "heliostat/base/io/json.h"
#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// A schedule as acnportal keeps it: seasons by day and month, times at which the
// rate changes, and one demand charge for each season.
Result<Tariff> ReadAcnTariff(const io::Json& document, const std::string& file);

}  // namespace heliostat::tariff
