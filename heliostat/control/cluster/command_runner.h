#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::cluster {

// Runs a command of the cluster and returns its output. One for the machine, one for tests that answers by a script.
class CommandRunner {
 public:
  virtual ~CommandRunner() = default;
  // Fails with kUnavailable for a command that ends with another status than 0 or does not end within `limit`, with its
  // last words on one line; kNotFound when there is no such program; kCorrupt for more than `most_bytes` of output.
  virtual Result<std::string> Run(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                                  std::size_t most_bytes) = 0;
};

// Runs programs of this machine. Thread-safe.
class ProcessRunner final : public CommandRunner {
 public:
  // `variables` ("NAME=value") say where the cluster is: SLURM_CONF and PATH. Those that change what Slurm's commands
  // print are left out; times are printed as seconds since 1970, errors in English.
  explicit ProcessRunner(const std::vector<std::string>& variables);
  Result<std::string> Run(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::size_t most_bytes) override;

 private:
  std::vector<std::string> environment_;
};

}  // namespace heliostat::cluster
