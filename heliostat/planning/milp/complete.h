#pragma once

#include "heliostat/planning/milp/layout.h"

namespace heliostat::milp {

// Changes the layout so that the job makes `samples`, by the cheapest of these: a higher speed, longer segments,
// another segment. Turns on nodes if `may_turn_on`. When that is not enough, it makes as many samples as it can.
void Complete(Layout& layout, std::size_t job, std::size_t group, double samples, bool may_turn_on);

// Removes work of the job beyond `samples`, the most expensive first.
void Trim(Layout& layout, std::size_t job, double samples);

}  // namespace heliostat::milp
