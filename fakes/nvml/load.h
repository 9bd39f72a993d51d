#pragma once

#include <string>

#include "fakes/nvml/state.h"

namespace heliostat::nvml_double {

// Something to run on a GPU.
struct LoadPlan {
  std::string model;  // of the profile library
  double duty = 1.0;
  double samples_per_step = 1.0;
  double goal = 0.0;  // steps; 0: endless
};

// What this plan runs as on a card, for a process or, with 0, for none.
Result<RunningLoad> MakeLoad(const LoadPlan& plan, const device_model::CardModel& card, pid_t pid);

// Puts it on a GPU, from now on. The same process's former load there, and for one without a process any former one
// without, makes room for it.
Status StartLoad(GpuState& gpu, const RunningLoad& load);
// Takes away those without a process.
void StopLoads(GpuState& gpu);

// The load of a process on a GPU; nullptr when it has none (any more).
RunningLoad* FindLoad(GpuState& gpu, const RunningLoad& like);

}  // namespace heliostat::nvml_double
