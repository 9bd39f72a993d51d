#include "heliostat/control/sim/saving_split.h"

namespace heliostat::sim {
namespace {

SavingStage StageOf(std::string part, std::string how, const Figures& figures) {
  return {std::move(part), std::move(how), figures.carbon_kg, figures.cost, figures.energy_kwh};
}

}  // namespace

std::string WithSleep(const std::string& policy) { return policy.ends_with("+sleep") ? policy : policy + "+sleep"; }

SavingSplit SplitSaving(const SplitRequest& request, const SplitSimulation& simulate) {
  SavingSplit split;
  split.stages.push_back(StageOf("", request.baseline, request.baseline_figures));
  // Where nodes stay up under the winner, none of its saving comes from sleep.
  const std::string sleeping = request.winner_sleeps ? WithSleep(request.baseline) : request.baseline;
  const Figures slept = sleeping == request.baseline ? request.baseline_figures
                        : sleeping == request.winner ? request.winner_figures
                                                     : simulate(sleeping, false);
  split.stages.push_back(StageOf("sleep", sleeping, slept));
  const bool is_all_sleep = sleeping == request.winner;
  const Figures timed = is_all_sleep ? request.winner_figures : simulate(request.winner, true);
  split.stages.push_back(StageOf("timing", request.winner + " with default GPU settings", timed));
  split.stages.push_back(StageOf("speed", request.winner, request.winner_figures));
  return split;
}

}  // namespace heliostat::sim
