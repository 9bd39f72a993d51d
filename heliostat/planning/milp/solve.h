#pragma once

#include "heliostat/planning/plan/objective.h"

namespace heliostat::milp {

// Solves the problem as a mixed-integer programme with CBC, on one thread, so that equal requests have equal answers
// unless the time limit ends the search. The programme is a relaxation (GPU time counts per slot, not per second), so
// its bound holds for every plan. Its solution is turned into a plan and polished. `start`, when given, is a feasible
// plan to begin from; the result is never worse.
plan::Outcome Solve(const plan::Problem& problem, const plan::Effort& effort, const plan::Plan* start = nullptr);

// An estimate of the number of integer columns, to judge whether Solve() is worth trying.
std::size_t ProgrammeSize(const plan::Problem& problem);

}  // namespace heliostat::milp
