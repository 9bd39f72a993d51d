#pragma once

#include "heliostat/planner/planner.h"
#include "heliostat/scenario/paths.h"

namespace heliostat::planner {

// The scenario that a plan must do for so that it does in a share of the paths: every service's rate is the highest
// among the ceil(share * count) least extreme paths, slot by slot; carbon, price and on-site power are means of all.
// How extreme a path is: how far a rate of it lies above the mean at most, in standard deviations.
scenario::Scenario CautiousScenario(const scenario::Scenario& scenario, const scenario::Paths& paths, double share);

// What the plan comes to in every path. `limits` are those that are to be kept there: power cap and carbon budget,
// beside every latency. Deadlines hang on no signal. A service whose latency is kept at the planned rate is taken to
// keep it at any lower one: what takes longer then is the forming of batches, and a service need not wait for full
// ones.
Risk RiskOf(const scenario::Scenario& scenario, const scenario::Paths& paths, const plan::Limits& limits,
            const plan::Plan& plan, double share);

// Plans on the cautious scenario; score and certificate are of that one. A carbon budget that too many paths break is
// tightened for the planner, a few times, each within the time limit; no plan when that does not help. Fails as
// MakePlan does, and for a share outside (0, 1] or without paths.
Result<Answer> MakePlanAtRisk(const scenario::Scenario& scenario, const scenario::Paths& paths, const Request& request,
                              double share, const Watcher& watcher = {});

}  // namespace heliostat::planner
