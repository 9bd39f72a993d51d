#pragma once

#include "heliostat/planning/planner/engine.h"

namespace heliostat::planner {

// The answer to a request that keeps every deadline of the scenario, if one was found.
struct SolvedRequest {
  plan::PlanAnswer answer;
  // No plan was found even without the carbon budget and the performance floor.
  bool is_crowded = false;
};
SolvedRequest SolveRequest(const scenario::Scenario& scenario, const PlanRequest& request, const Watcher& watcher,
                           Patience patience = Patience::kAnswer);

}  // namespace heliostat::planner
