#pragma once

#include <memory>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/device/gpu.h"

namespace heliostat::device {

// Opens the driver of this machine: NVML from the path in HELIOSTAT_NVML or from libnvidia-ml.so.1. When that fails,
// returns a driver without GPUs whose troubles() has the reason.
std::unique_ptr<GpuDriver> OpenDriver(const Environment& environment);

}  // namespace heliostat::device
