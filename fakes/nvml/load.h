#pragma once

#include <string>

#include "fakes/nvml/state.h"

namespace heliostat::nvml_double {

// A load to start on a GPU.
struct LoadPlan {
  std::string model;  // a name of the profile library
  double duty = 1.0;
  double samples_per_step = 1.0;
  double goal = 0.0;  // steps; 0: no end
};

// The load of a plan on a card. `pid`: the process that it belongs to; 0: none.
Result<RunningLoad> MakeLoad(const LoadPlan& plan, const device_model::CardModel& card, pid_t pid);

// Starts a load on a GPU. Replaces the former load of the same process; a load without a process replaces all former
// ones without a process. kUnavailable when the GPU has kMostLoads loads.
Status StartLoad(GpuState& gpu, const RunningLoad& load);
// Removes all loads without a process.
void StopLoads(GpuState& gpu);

// The load of the same process as `like`; nullptr when there is none.
RunningLoad* FindLoad(GpuState& gpu, const RunningLoad& like);

}  // namespace heliostat::nvml_double
