#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/node/process/ending.h"

namespace heliostat::process {

// What bounds a captured command.
struct CaptureLimits {
  std::chrono::milliseconds time{5000};
  std::size_t output_bytes = std::size_t{64} << 20;  // of standard output; of standard error only the begin is kept
};

// A command that has ended, and what it wrote.
struct Captured {
  Ending ending;
  std::string output;
  std::string errors;
};

// Runs a short command to its end and returns its output. The program is looked up on the PATH of this process, reads
// `input`, has exactly the variables `environment` ("NAME=value"), and is the leader of its own process group. The
// whole group is killed at a limit, and what is left of it when the command ends, so that no process stays.
//
// Fails with kNotFound or kPermissionDenied for a program that cannot be started, kUnavailable at the time limit and
// kCorrupt at the limit of the output. A command that ends with another status than 0 is no failure here. Thread-safe.
Result<Captured> Capture(const std::vector<std::string>& command, const std::vector<std::string>& environment,
                         const CaptureLimits& limits, std::string_view input = {});

}  // namespace heliostat::process
