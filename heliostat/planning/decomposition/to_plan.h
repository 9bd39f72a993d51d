#pragma once

#include "heliostat/planning/decomposition/board.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::decomposition {

// The board as a plan: segments at seconds, services by slot, and as many nodes on as the placement needs, kept on
// through gaps that are too short to be worth a wake-up.
plan::Plan ToPlan(const scenario::Scenario& scenario, const Board& board);

// Segments of one schedule.
plan::JobPlan SegmentsOf(const scenario::Scenario& scenario, const JobModel& job, const Schedule& schedule);

}  // namespace heliostat::decomposition
