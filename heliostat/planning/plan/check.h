#pragma once

#include <string>
#include <vector>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::plan {

// Every constraint that the plan breaks, in words; empty when it keeps them all: windows, deadlines, samples, one group
// a job, one piece where asked, operating points that exist, GPUs in use against nodes on at every second, latency,
// utilisation below 1, replicas, nodes that exist, power cap, carbon budget, performance floor.
std::vector<std::string> Violations(const scenario::Scenario& scenario, const Limits& limits, const Plan& plan);

}  // namespace heliostat::plan
