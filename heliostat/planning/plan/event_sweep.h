#pragma once

#include <vector>

#include "heliostat/model/scenario/energy.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::plan {

// What a group does in a slot, as the check of plans computes it.
struct SlotUse {
  scenario::GroupUse use;
  int most_gpus = 0;  // the most in use at any second
  Instant most_at;    // the first such second
};

// [group][slot]: computed from all begins and ends in order of time. ScoreOf() adds up segment by segment instead, so a
// test can compare the two. Groups, points and sizes of the plan must be in range.
std::vector<std::vector<SlotUse>> SweepEvents(const scenario::Scenario& scenario, const Plan& plan);

}  // namespace heliostat::plan
