#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heliostat/control/sim/bound.h"
#include "heliostat/control/sim/simulation.h"

namespace heliostat::sim {

// The results of several policies on one scenario.
struct Comparison {
  std::vector<SimulatedRun> runs;
  std::vector<Figures> figures;  // one per run
  Bound bound;                   // zeros unless asked for
};

// What to compare, and how.
struct CompareOptions {
  std::vector<std::string> policies;
  policy::PolicyOptions policy;
  SimulationOptions world;
  bool with_bound = true;
  unsigned threads = 1;        // 0: one per core
  std::string decision_log{};  // file for the decisions, with one policy only; empty: none
};

// Called with the share of policies done, 0 to 1, and the policy that has just finished. One call at a time, from any
// of the threads.
using ComparisonProgress = std::function<void(double share, const std::string& policy)>;

// Simulates every policy on the same scenario with the same foresight. The result does not depend on the number of
// threads. Fails on an unknown policy, or when the decision log cannot be written.
Result<Comparison> Compare(const scenario::Scenario& scenario, Foresight& foresight, const CompareOptions& options,
                           const ComparisonProgress& progressed = {});

}  // namespace heliostat::sim
