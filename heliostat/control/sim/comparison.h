#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heliostat/control/sim/bound.h"
#include "heliostat/control/sim/simulation.h"

namespace heliostat::sim {

// Several policies in the same world.
struct Comparison {
  std::vector<SimulatedRun> runs;
  std::vector<Figures> figures;  // of each run
  Bound bound;
};

struct CompareOptions {
  std::vector<std::string> policies;
  policy::PolicyOptions policy;
  SimulationOptions world;
  bool with_bound = true;
  unsigned threads = 1;        // 0: as many as there are cores
  std::string decision_log{};  // file for the decisions of the only policy; empty: none
};

// Called with the share done, 0 to 1, and the policy that has just come to its end.
using ComparisonProgress = std::function<void(double share, const std::string& policy)>;

// Every policy against the same scenario and foresight. The same result with any number of threads.
Result<Comparison> Compare(const scenario::Scenario& scenario, Foresight& foresight, const CompareOptions& options,
                           const ComparisonProgress& progressed = {});

}  // namespace heliostat::sim
