#pragma once

#include "heliostat/base/io/json.h"
#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// Reads a schedule of acnportal: seasons by day and month, times at which the rate changes, and one demand charge per
// season. `file` is for messages. The currency is assumed to be USD, with a note.
Result<Tariff> ReadAcnTariff(const io::Json& document, const std::string& file);

}  // namespace heliostat::tariff
