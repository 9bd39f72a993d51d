#pragma once

#include <vector>

#include "heliostat/model/scenario/energy.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::plan {

// What a group does in a slot, as the referee sees it.
struct SlotUse {
  scenario::GroupUse use;
  int most_gpus = 0;  // in use at any one second
  Instant most_at;    // the first such second
};

// [group][slot], from sweeping over all that begins and ends, second by second. The scorer adds up segment by segment:
// two ways to the same numbers. Groups, points and sizes must be in range.
std::vector<std::vector<SlotUse>> SweepEvents(const scenario::Scenario& scenario, const Plan& plan);

}  // namespace heliostat::plan
