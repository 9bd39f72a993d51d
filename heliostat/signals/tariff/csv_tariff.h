#pragma once

#include <string_view>

#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// A table with one charge a row: utility, type, months, hours, weekdays (0 is
// Monday), charge and units; the charge in one column, or in an imperial and a
// metric one. Rows for gas and for energy fed back are left out with a note.
Result<Tariff> ReadCsvTariff(std::string_view text, const std::string& file);

// Whether a first line is such a table's header.
bool IsCsvTariffHeader(std::string_view line);

}  // namespace heliostat::tariff
