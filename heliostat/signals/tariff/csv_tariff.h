#pragma once

#include <string_view>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// Reads a table with one charge per row: utility, type, months, hours, weekdays (0 is Monday), charge and units. The
// charge is in one column, or in an imperial and a metric one. Omits rows for gas and for exported energy, with a note.
Result<Tariff> ReadCsvTariff(std::string_view text, const std::string& file);

// True when `line` is the header of such a table.
bool IsCsvTariffHeader(std::string_view line);

}  // namespace heliostat::tariff
