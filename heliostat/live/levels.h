#pragma once

#include <vector>

#include "heliostat/chase/level.h"
#include "heliostat/device/gpu.h"

namespace heliostat::live {

// The levels that a run's knob is tried at, ascending, the default last: what all of its GPUs can do.
Result<std::vector<double>> LevelsOf(Knob knob, const std::vector<device::Gpu*>& gpus);

// Draw of all of them at their highest limit: what equation 6 calls the most power.
Watts MostPowerOf(const std::vector<device::Gpu*>& gpus);

}  // namespace heliostat::live
