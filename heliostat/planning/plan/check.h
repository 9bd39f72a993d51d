#pragma once

#include <string>
#include <vector>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::plan {

// Every constraint that the plan breaks, one text per violation; empty for a valid plan. It checks windows, deadlines,
// samples, one group per job, no pause in jobs that are not preemptible, operating points that exist, GPUs in use
// against nodes on at every second, latency, utilisation below 1, replicas, nodes that exist, power cap, carbon budget
// and performance floor. Plans with wrong sizes or indices are checked for those only. It uses neither the solvers nor
// ScoreOf(), so that it can check their results.
std::vector<std::string> Violations(const scenario::Scenario& scenario, const Limits& limits, const Plan& plan);

}  // namespace heliostat::plan
