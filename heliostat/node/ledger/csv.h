#pragma once

#include <string>

#include "heliostat/node/ledger/run.h"

namespace heliostat::ledger {

// One row per record of a period in the ledger, with its energy, carbon and cost. Column names carry units. A value
// that is not known is an empty cell.
std::string CsvOf(const Run& run);

}  // namespace heliostat::ledger
