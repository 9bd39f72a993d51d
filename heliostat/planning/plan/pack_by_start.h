#pragma once

#include <vector>

#include "heliostat/planning/plan/pack_by_length.h"

namespace heliostat::plan {

// Places runs and replicas in order of their begin. Each takes GPUs that are free at that second and keeps them until
// its end. So all fit as long as no second has more GPUs in use than the group has; otherwise it adds nodes beyond
// those of the group. A run is spread only when there is no other way.
std::vector<Stretch> PackByStart(const GroupLoad& load);

}  // namespace heliostat::plan
