#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
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

// What a command that changes something said. A batch of which a part is refused ends with another status than 0.
struct CommandReply {
  int status = 0;
  std::string output;
  std::string errors;
};

// Runs commands that change the cluster.
class CommandSender {
 public:
  virtual ~CommandSender() = default;
  // `input` is what the command reads. Fails with kUnavailable for one that does not end within `limit`, kNotFound when
  // there is no such program.
  virtual Result<CommandReply> Send(const std::vector<std::string>& command, std::string_view input,
                                    std::chrono::milliseconds limit) = 0;
};

// Runs programs of this machine, without a shell. Thread-safe.
class ProcessRunner final : public CommandRunner, public CommandSender {
 public:
  // `variables` ("NAME=value") say where the cluster is: SLURM_CONF and PATH. Those that change what Slurm's commands
  // print are left out; times are printed as seconds since 1970, errors in English, indices of arrays in full.
  explicit ProcessRunner(const std::vector<std::string>& variables);
  Result<std::string> Run(const std::vector<std::string>& command, std::chrono::milliseconds limit,
                          std::size_t most_bytes) override;
  Result<CommandReply> Send(const std::vector<std::string>& command, std::string_view input,
                            std::chrono::milliseconds limit) override;

 private:
  std::vector<std::string> environment_;
};

}  // namespace heliostat::cluster
