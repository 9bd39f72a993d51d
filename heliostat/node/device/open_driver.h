#pragma once

#include <memory>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/device/gpu.h"

namespace heliostat::device {

// The driver of this machine: NVML, from HELIOSTAT_NVML or libnvidia-ml.so.1, or one that says why there is none.
std::unique_ptr<GpuDriver> OpenDriver(const Environment& environment);

}  // namespace heliostat::device
