#pragma once

#include <sys/types.h>

#include <functional>
#include <span>
#include <vector>

#include "heliostat/node/device/gpu.h"

namespace heliostat::training_run {

// The processes of the program, its own and those that it has started.
using OwnProcesses = std::function<std::vector<pid_t>()>;

// The part of a GPU's energy that belongs to this program.
struct GpuShare {
  double own = 1.0;        // 0 to 1
  bool is_shared = false;  // other programs compute there too
  bool is_equal = false;   // the driver does not report who uses how much: each process counts the same
};

// Splits a GPU by the time in which the kernels of each process run. The power that the card draws when idle is split
// in the same way. Where the driver does not report utilisation, or none of the processes runs a kernel, each process
// counts the same. With no process on the card, the program has all of it; with others alone, none of it. Where none of
// the processes is visible (in a container), one of them counts as the program's.
GpuShare GpuShareOf(std::span<const device::ProcessUse> uses, std::span<const pid_t> own,
                    const std::function<bool(pid_t)>& is_visible);

// Whether the kernel knows a process of this number here.
bool IsVisible(pid_t pid);

}  // namespace heliostat::training_run
