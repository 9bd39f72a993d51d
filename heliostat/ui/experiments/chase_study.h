#pragma once

#include "heliostat/ui/experiments/chase_input.h"
#include "heliostat/ui/experiments/finding.h"

namespace heliostat::experiments {

// Chase (Yang et al. 2023) beside ours: its equation and our time budget over workloads on the published trace, then
// what timing adds on grids where intensity moves. Carbon, time and energy are against the default limit.
Result<Finding> ChaseFinding(const ChaseInput& input, Size size);

}  // namespace heliostat::experiments
