#pragma once

#include <vector>

#include "heliostat/planning/plan/shelf.h"

namespace heliostat::plan {

// Makes a packing cheaper: takes all that a few nodes hold off them, puts it back in another order, and keeps that when
// it costs no more; again and again. Only towards the end are runs spread over more nodes than they need, where that
// saves more than `load.spread` for each. Never dearer than before; equal loads have equal answers.
void Repack(const GroupLoad& load, std::vector<Stretch>& stretches);

}  // namespace heliostat::plan
