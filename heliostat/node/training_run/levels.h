#pragma once

#include <vector>

#include "heliostat/node/device/gpu.h"
#include "heliostat/node/level_control/level.h"

namespace heliostat::training_run {

// The levels of a run's knob that all of its GPUs support, ascending, the default last. kUnsupported when a GPU lacks
// the knob.
Result<std::vector<double>> LevelsOf(Knob knob, const std::vector<device::Gpu*>& gpus);

// The power of all GPUs at their highest limit: the "most power" of equation 6 (level_control::EtaCost).
Watts MostPowerOf(const std::vector<device::Gpu*>& gpus);

}  // namespace heliostat::training_run
