#pragma once

#include <string>

#include "heliostat/base/io/json.h"
#include "heliostat/control/sim/comparison.h"

namespace heliostat::cli {

// A table with one row per policy, and the answer: the winner, where its saving comes from, and a year of it. The best
// of each column is marked. `coloured` adds terminal escape codes.
std::string TextOf(const scenario::Scenario& scenario, const sim::Comparison& comparison, bool coloured);
// The simulation document of the contract. `with_details` adds slots and jobs of each policy.
io::Json JsonOf(const scenario::Scenario& scenario, const sim::Comparison& comparison, bool with_details);

}  // namespace heliostat::cli
