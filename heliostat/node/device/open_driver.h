#pragma once

#include <chrono>
#include <memory>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/device/gpu.h"

namespace heliostat::device {

// Opens the driver of this machine: NVML from the path in HELIOSTAT_NVML or from libnvidia-ml.so.1. When that fails,
// returns a driver without GPUs whose troubles() has the reason. Its Gpus() leaves out a card that does not answer
// within `patience`, so that one card does not keep the others from being restored.
std::unique_ptr<GpuDriver> OpenDriver(const Environment& environment,
                                      std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace heliostat::device
