#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/control/sim/bound.h"
#include "heliostat/control/sim/saving_split.h"
#include "heliostat/control/sim/simulation.h"
#include "heliostat/control/sim/year_saving.h"

namespace heliostat::sim {

// The results of several policies on one scenario. The first policy is the baseline.
struct Comparison {
  std::vector<SimulatedRun> runs;
  std::vector<Figures> figures;  // one per run
  Bound bound;                   // zeros unless asked for
  SavingSplit split{};           // no stages unless asked for and a policy other than the baseline wins
  // Savings of the winner against the baseline in weeks before the scenario, in order. Compare() leaves it empty.
  std::vector<SavedInPart> earlier_weeks{};
};

// The run of the baseline with sleeping nodes ("run-now+sleep" after "run-now"). Nothing when it was not compared.
std::optional<std::size_t> SleepingBaseline(const std::vector<SimulatedRun>& runs);

// What `policy` saves in a year against the baseline, with the earlier weeks where there are some. Nothing for the
// baseline itself, and when the scenario is too short.
std::optional<YearSaving> SavedInAYear(const scenario::Scenario& scenario, const Comparison& comparison,
                                       std::size_t policy);

// What to compare, and how.
struct CompareOptions {
  std::vector<std::string> policies;
  policy::PolicyOptions policy;
  SimulationOptions world;
  bool with_bound = true;
  bool with_split = false;     // simulates the winner once more
  unsigned threads = 1;        // 0: one per core
  std::string decision_log{};  // file for the decisions, with one policy only; empty: none
};

// Follows a comparison. One call at a time, from any of its threads.
class ComparisonListener {
 public:
  virtual ~ComparisonListener() = default;
  // `doing` names the policy or computation that has advanced, such as "ca-rm-ppc: slot 12 of 168". `share` of all work
  // is done, roughly; nothing while the rest cannot be estimated.
  virtual void Advanced(std::optional<double> share, const std::string& doing) = 0;
  // A policy has been simulated. Those that take little time come first.
  virtual void Finished(const SimulatedRun& run, const Figures& figures) = 0;
};

// Simulates every policy on the same scenario with the same foresight. The result does not depend on the number of
// threads. Fails on an unknown policy, or when the decision log cannot be written.
Result<Comparison> Compare(const scenario::Scenario& scenario, Foresight& foresight, const CompareOptions& options,
                           ComparisonListener* listener = nullptr);

}  // namespace heliostat::sim
