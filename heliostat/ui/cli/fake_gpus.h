#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::cli {

// GPUs that exist as a model only, to try Heliostat without one: those of the double of NVML, which is installed with
// the program.

// The GPUs that the value of --fake-gpu names: "H200", "2xH200", "2xH200,A40". kInvalidArgument for an unknown name.
Result<std::vector<std::string>> ParseFakeGpus(const std::string& text);

// From now on this process, and those that it starts, find these GPUs and no others, no agent, and leases in a folder
// of their own. GPUs with the same `text` are the same cards on every call, with their leases. Changes the environment
// of the process, where the library and the guards look; call it before any thread starts.
Status UseFakeGpus(const std::string& text, const Environment& environment);

// Tells the user how a program can load made-up GPUs, unless it is the one that does.
void TellHowToLoadFakeGpus(const std::vector<std::string>& program);

}  // namespace heliostat::cli
