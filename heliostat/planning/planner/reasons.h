#pragma once

#include <optional>
#include <string>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::planner {

// What can be seen without any search to make a plan impossible: a service that no setting serves in time, a job that
// is too long for its window, jobs that together need more GPU time than there is between two instants, a power cap
// below what sleeping nodes draw. One sentence in the user's terms, with what would help; nothing when none is seen.
std::optional<std::string> WhyImpossible(const scenario::Scenario& scenario, const plan::Limits& limits);

// "5 h 12 min".
std::string InWords(Seconds time);

}  // namespace heliostat::planner
