#pragma once

#include <string>

#include "heliostat/base/io/json.h"
#include "heliostat/control/sim/comparison.h"

namespace heliostat::cli {

// A table with one row per policy; the best of each column is marked, savings are against the first policy. `coloured`
// adds terminal escape codes.
std::string TextOf(const scenario::Scenario& scenario, const sim::Comparison& comparison, bool coloured);
// The simulation document of the contract.
io::Json JsonOf(const scenario::Scenario& scenario, const sim::Comparison& comparison);

}  // namespace heliostat::cli
