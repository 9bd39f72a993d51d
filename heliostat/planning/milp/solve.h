#pragma once

#include "heliostat/planning/plan/objective.h"

namespace heliostat::milp {

// Solves the problem as a mixed-integer programme through CBC, on one thread so that equal requests have equal answers.
// The programme is a relaxation of what a plan may do (GPU time is counted by the slot, not by the second), so its
// bound holds for every plan; its solution is turned into a real plan and polished. `start`, when given, is a feasible
// plan to begin from; the answer is never worse.
plan::Outcome Solve(const plan::Problem& problem, const plan::Effort& effort, const plan::Plan* start = nullptr);

// Whole numbers that the programme would have, to judge whether it is worth trying.
std::size_t ProgrammeSize(const plan::Problem& problem);

}  // namespace heliostat::milp
