#pragma once

#include <optional>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::sim {

// [job]: when it ends under the policy run-now in the simulated cluster, without faults and with exact estimates.
// Nothing for a job that is not done at the end of the horizon. Run-now ignores deadlines, so the ends do not depend on
// them.
std::vector<std::optional<Instant>> EndsUnderRunNow(const scenario::Scenario& scenario);

}  // namespace heliostat::sim
