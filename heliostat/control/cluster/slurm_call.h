#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/random.h"
#include "heliostat/control/cluster/circuit_breaker.h"
#include "heliostat/control/cluster/command_runner.h"

namespace heliostat::cluster {

// What bounds each call of a command.
struct SlurmLimits {
  std::chrono::milliseconds look{5000};   // squeue, scontrol: each
  std::chrono::milliseconds act{10'000};  // one command that changes something
  std::chrono::milliseconds ping{2000};   // the probe of a Slurm that does not answer
  std::chrono::milliseconds history{120'000};
  std::chrono::milliseconds recent{20'000};  // history of a day or less
  std::size_t look_bytes = std::size_t{64} << 20;
  std::size_t history_bytes = std::size_t{512} << 20;
};

// Questions to slurmctld, with the breaker in between. Internal to this layer. All arguments outlive this.
class SlurmCall {
 public:
  SlurmCall(CommandRunner& commands, const Clock& clock, const SlurmLimits& limits, const Patience& patience)
      : commands_(commands), limits_(limits), breaker_(clock, patience) {}

  Result<std::string> Ask(const std::vector<std::string>& command);

 private:
  Status Probe();

  CommandRunner& commands_;
  SlurmLimits limits_;
  CircuitBreaker breaker_;
};

// Of cells: no user can know it.
std::string DrawSeparator(RandomStream& random);

}  // namespace heliostat::cluster
