#pragma once

#include <vector>

#include "heliostat/planning/plan/shelf.h"

namespace heliostat::plan {

// Places runs and replicas as time goes by: whoever begins takes GPUs that are free at that second and keeps them until
// it ends, so all fit whenever no second has more in use than there are. A run is spread only when there is no other
// way. Should a second have more in use, nodes beyond the group's are opened.
std::vector<Stretch> PackByStart(const GroupLoad& load);

}  // namespace heliostat::plan
