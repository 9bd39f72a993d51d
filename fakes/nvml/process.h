#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace heliostat::nvml_double {

// A process, as the kernel reports it.
struct ProcessState {
  std::uint64_t start_ticks = 0;  // since boot; distinguishes it from a later process with the same id
  bool is_stopped = false;
};

// Absent when there is no such process, or it has ended and was not waited for yet.
std::optional<ProcessState> LookAt(pid_t pid);

}  // namespace heliostat::nvml_double
