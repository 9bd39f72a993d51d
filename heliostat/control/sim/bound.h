#pragma once

#include <functional>
#include <vector>

#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// A lower bound on carbon and cost: no policy can beat it, not even one that knows the future.
struct Bound {
  double carbon_kg = 0.0;
  double cost = 0.0;
  // The values of a plan made with full knowledge of the future. Not bounds: a better plan may exist. Nothing when no
  // plan was found, or when the scenario is too large to plan.
  std::optional<double> planned_carbon_kg;
  std::optional<double> planned_cost;
};

// The bound for the work that all of these runs have done. It leaves out each job that a run left undone. Where a run
// finished a job late, the deadline is that finish. It leaves out each slot in which a run broke a service's latency.
// When the runs kept every deadline and latency, or without runs, it is the bound for the scenario itself.
// `progressed` is called before each round of the search.
Bound LowestPossible(const scenario::Scenario& scenario, const std::vector<SimulatedRun>& runs,
                     const std::function<void(int rounds_done)>& progressed = {});

}  // namespace heliostat::sim
