#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/node/device/gpu.h"

namespace heliostat::gpu_access {

// The GPUs of this machine, open for reading. Not thread-safe, as the GPUs are not.
struct Gpus {
  std::unique_ptr<device::GpuDriver> driver;
  std::vector<std::unique_ptr<device::Gpu>> all;

  // Those that a user names: "0", a UUID or the beginning of one, or "all"; each once, in the order of the names.
  // kInvalidArgument says which there are.
  Result<std::vector<device::Gpu*>> Select(const std::vector<std::string>& names) const;
};

// A machine without a driver has none, and that is no error.
Result<Gpus> OpenGpus(const Environment& environment);

}  // namespace heliostat::gpu_access
