#pragma once

#include "heliostat/ui/experiments/chase_input.h"
#include "heliostat/ui/experiments/finding.h"

namespace heliostat::experiments {

// Compares Chase (Yang et al. 2023) with the time budget of Heliostat: all workloads on the published trace, then what
// timing adds in other zones. Carbon, time and energy are relative to the default limit.
Result<Finding> ChaseFinding(const ChaseInput& input, Size size);

}  // namespace heliostat::experiments
