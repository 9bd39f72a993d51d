#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/device/gpu.h"

namespace heliostat::gpu_access {

// The GPUs of this machine, open for reading. Not thread-safe.
struct Gpus {
  std::unique_ptr<device::GpuDriver> driver;
  std::vector<std::unique_ptr<device::Gpu>> all;

  // The GPUs that a user names: an index ("0"), a UUID or at least 6 characters of its beginning, or "all". Each GPU
  // appears once, in the order of the names. kInvalidArgument for a name that matches none or several.
  Result<std::vector<device::Gpu*>> Select(const std::vector<std::string>& names) const;
};

// A machine without a driver is no error: it has no GPUs.
Result<Gpus> OpenGpus(const Environment& environment);

}  // namespace heliostat::gpu_access
