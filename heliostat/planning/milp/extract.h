#pragma once

#include <vector>

#include "heliostat/planning/milp/programme.h"

namespace heliostat::milp {

// Turns a solution of the programme into a plan with whole seconds, full resuming and enough GPUs at every second.
// Where the programme is looser than a plan may be, jobs run faster or longer, at the least extra cost, and nodes are
// turned on. The plan may still break constraints: the caller checks for violations. Integer columns may have
// fractions: nodes are rounded up, and a job goes to the group that has most of it.
plan::Plan Extract(const plan::Problem& problem, const Programme& programme, const std::vector<double>& values);

}  // namespace heliostat::milp
