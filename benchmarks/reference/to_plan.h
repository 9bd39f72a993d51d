#pragma once

#include "benchmarks/reference/draft_plan.h"
#include "heliostat/planning/plan/plan.h"

namespace heliostat::reference {

// The draft as a plan: segments in whole seconds, services per slot, and as many nodes on as the placement needs. Nodes
// stay on through gaps that are too short for a wake-up to pay.
plan::Plan ToPlan(const scenario::Scenario& scenario, const DraftPlan& draft);

// The segments of one schedule.
plan::JobPlan SegmentsOf(const scenario::Scenario& scenario, const JobModel& job, const Schedule& schedule);

}  // namespace heliostat::reference
