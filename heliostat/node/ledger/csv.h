#pragma once

#include <string>

#include "heliostat/node/ledger/run.h"

namespace heliostat::ledger {

// A row for each part of a period as it stands in the ledger, with what it comes to; names carry units. What is not
// known is an empty cell.
std::string CsvOf(const Run& run);

}  // namespace heliostat::ledger
