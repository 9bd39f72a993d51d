#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace heliostat::nvml_double {

// A process as the kernel tells it.
struct ProcessState {
  std::uint64_t start_ticks = 0;  // since boot: tells it from a later one with the same number
  bool is_stopped = false;
};

// Nothing for one that is not there, or that ended and was not yet waited for.
std::optional<ProcessState> LookAt(pid_t pid);

}  // namespace heliostat::nvml_double
