#pragma once

#include <vector>

#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// What no policy can beat, even one that knows everything beforehand.
struct Bound {
  double carbon_kg = 0.0;
  double cost = 0.0;
  // What a plan that knows everything comes to: not a bound, but what "clairvoyant" usually means. Nothing when no plan
  // was found or asked for.
  std::optional<double> planned_carbon_kg;
  std::optional<double> planned_cost;
};

// For the work that these runs have done: a job that one of them left undone is asked of nobody, a job that one of them
// finished late may be late, and a slot in which one of them broke a service's latency is not served. With every
// deadline and latency kept that is the scenario as it stands. Without runs: the same.
Bound LowestPossible(const scenario::Scenario& scenario, const std::vector<SimulatedRun>& runs);

}  // namespace heliostat::sim
