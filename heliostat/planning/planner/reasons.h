#pragma once

#include <optional>
#include <string>

#include "heliostat/planning/plan/objective.h"

namespace heliostat::planner {

// Reasons for which no plan can exist, found without a search: a service that no setting serves in time, a job that is
// too long for its window, jobs that together need more GPU time than there is between two instants, a power cap below
// the power of sleeping nodes. One sentence for users, with what would help. Nothing when it finds none; a plan may
// still not exist.
std::optional<std::string> WhyImpossible(const scenario::Scenario& scenario, const plan::Limits& limits);

// Such as "5 h 12 min"; rounded up to minutes.
std::string InWords(Seconds time);

}  // namespace heliostat::planner
