#pragma once

#include <vector>

#include "heliostat/node/device/gpu.h"
#include "heliostat/node/level_control/level.h"

namespace heliostat::training_run {

// The levels that a run's knob is tried at, ascending, the default last: what all of its GPUs can do.
Result<std::vector<double>> LevelsOf(Knob knob, const std::vector<device::Gpu*>& gpus);

// Draw of all of them at their highest limit: what equation 6 calls the most power.
Watts MostPowerOf(const std::vector<device::Gpu*>& gpus);

}  // namespace heliostat::training_run
