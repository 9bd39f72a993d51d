#pragma once

#include <vector>

#include "heliostat/planning/plan/pack_by_length.h"

namespace heliostat::plan {

// Lowers the cost of a packing by local search. Each step removes the parts of a few stretches, puts them back in
// another order, and keeps the result when it costs no more. Only towards the end does it spread runs over more nodes
// than they need, where that saves more than `load.spread` per extra node. Never raises the cost. Deterministic.
void Repack(const GroupLoad& load, std::vector<Stretch>& stretches);

}  // namespace heliostat::plan
