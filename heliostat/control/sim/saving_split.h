#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// One simulation of the sequence from the baseline to the winner.
struct SavingStage {
  std::string part;  // what it adds to the stage before: "sleep", "timing" or "speed"; empty for the baseline
  std::string how;   // what was simulated, for readers: "run-now+sleep"
  double carbon_kg = 0.0;
  double cost = 0.0;
  double energy_kwh = 0.0;
};

// Where the saving of the winner comes from. The stages follow one another in a fixed order: the baseline; the baseline
// with sleeping nodes; the winner with default GPU settings only; the winner. A part is the difference of two
// neighbours, so the parts add up to the whole saving. Another order would give other parts.
struct SavingSplit {
  std::vector<SavingStage> stages;  // empty: nothing is split
};

// What the split needs of a comparison.
struct SplitRequest {
  std::string baseline;
  const Figures& baseline_figures;
  std::string winner;
  const Figures& winner_figures;
  bool winner_sleeps = false;  // whether nodes sleep under the winner
};
// Simulates a policy for the split; with `default_settings_only` in a world that cannot turn knobs of GPUs.
using SplitSimulation = std::function<Figures(const std::string& policy, bool default_settings_only)>;
SavingSplit SplitSaving(const SplitRequest& request, const SplitSimulation& simulate);

// The name of a policy with sleeping nodes; the name itself when it has them.
std::string WithSleep(const std::string& policy);

}  // namespace heliostat::sim
