#pragma once

#include "heliostat/planning/milp/layout.h"

namespace heliostat::milp {

// Lets the job make `samples`, by the cheapest of: running faster, running on before and after what it does, another
// piece. Nodes may be turned on for it where `may_turn_on`. Does what it can when that is not enough.
void Complete(Layout& layout, std::size_t job, std::size_t group, double samples, bool may_turn_on);

// Takes away what the job does beyond `samples`, the dearest first.
void Trim(Layout& layout, std::size_t job, double samples);

}  // namespace heliostat::milp
