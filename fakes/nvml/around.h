#pragma once

#include <string>
#include <vector>

#include "fakes/nvml/load.h"

namespace heliostat::nvml_double {

// Becomes another program, on a GPU of the double: a process beside it loads the GPU with `load` until the program
// ends, and holds the program (SIGSTOP) for a share of the time, so that it slows down with the settings of the GPU as
// the load does. While another process holds the program, the GPU is idle. Returns only on failure, with its errno.
int BecomeOnGpu(State& state, int gpu, const LoadPlan& load, const std::vector<std::string>& command);

}  // namespace heliostat::nvml_double
