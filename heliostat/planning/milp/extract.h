#pragma once

#include <vector>

#include "heliostat/planning/milp/programme.h"

namespace heliostat::milp {

// The solution as a real plan: whole seconds, resuming paid in full, GPUs enough at every second. Where the programme
// was more generous than time allows, jobs are run faster or longer, at the least extra cost, and nodes are turned on.
// What cannot be mended is left: the caller looks for violations. Whole numbers may be fractions: nodes are rounded up,
// and a job goes where most of it is.
plan::Plan Extract(const plan::Problem& problem, const Programme& programme, const std::vector<double>& values);

}  // namespace heliostat::milp
