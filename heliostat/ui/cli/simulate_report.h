#pragma once

#include <string>

#include "heliostat/base/io/json.h"
#include "heliostat/control/sim/comparison.h"

namespace heliostat::cli {

// Policies side by side, for people: the best of each column marked, savings against the first policy.
std::string TextOf(const scenario::Scenario& scenario, const sim::Comparison& comparison, bool coloured);
// The contract's simulation document.
io::Json JsonOf(const scenario::Scenario& scenario, const sim::Comparison& comparison);

}  // namespace heliostat::cli
