#pragma once

#include "heliostat/planning/admission/least_misses.h"
#include "heliostat/planning/planner/solve_request.h"

namespace heliostat::planner {

// Plans where not every deadline can be kept, or no plan was found that does. It decides which jobs miss (least weight,
// then even shares of owners, then little weighted lateness), moves their deadlines, and plans for the objective. Value
// and score are those of the original scenario; the bound is proven for plans that keep the moved deadlines. `first` is
// the attempt to keep all deadlines; it may be empty. Without a plan for the services or within the carbon budget and
// the performance floor, the answer states why.
plan::PlanAnswer MakeBestEffort(const scenario::Scenario& scenario, const PlanRequest& request,
                                const admission::MissBound& bound, SolvedRequest first, const Watcher& watcher);

// The scenario with the deadlines that the outcome keeps: those of missed jobs are when they are done, or none.
scenario::Scenario KeptBy(const scenario::Scenario& scenario, const plan::Outcome& outcome);

// Names the jobs that the outcome's plan misses, sets status and reason, and scores the plan for the original scenario.
void NameMisses(const scenario::Scenario& scenario, const PlanRequest& request, const admission::MissBound& bound,
                plan::Outcome& outcome);

}  // namespace heliostat::planner
