#pragma once

#include <optional>
#include <string>

#include "heliostat/planning/admission/least_misses.h"
#include "heliostat/planning/plan/objective.h"

namespace heliostat::planner {

// Reasons for which no plan can exist even if jobs miss their deadlines, found without a search: a service that no
// setting serves in time, a power cap below the power of sleeping nodes. One sentence for users, with what would help.
// Nothing when it finds none; a plan may still not exist.
std::optional<std::string> WhyImpossible(const scenario::Scenario& scenario, const plan::Limits& limits);

// Why a plan misses the deadline of this job: its window is too short, or GPUs are short in it. One sentence for users,
// without a full stop.
std::string WhyMissed(const scenario::Scenario& scenario, const admission::MissBound& bound, std::size_t job);

// Such as "5 h 12 min"; rounded up to minutes.
std::string InWords(Seconds time);

}  // namespace heliostat::planner
