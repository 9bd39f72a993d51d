#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/random.h"
#include "heliostat/control/cluster/circuit_breaker.h"
#include "heliostat/control/cluster/cluster.h"
#include "heliostat/control/cluster/command_runner.h"

namespace heliostat::cluster {

// What bounds each call of a command.
struct SlurmLimits {
  std::chrono::milliseconds look{5000};  // squeue, scontrol: each
  std::chrono::milliseconds ping{2000};  // the probe of a Slurm that does not answer
  std::chrono::milliseconds history{120'000};
  std::chrono::milliseconds recent{20'000};  // history of a day or less
  std::size_t look_bytes = std::size_t{64} << 20;
  std::size_t history_bytes = std::size_t{512} << 20;
};

// A Slurm cluster through its commands (tested on 22.05, 24.11 and 26.05): squeue, scontrol, sacct. Text, because it is
// the only interface that all releases have (docs/models/cluster.md). A Look() is one squeue and one `scontrol show
// node`.
//
// Cells of users (names, comments) can hold any byte. The separator of cells therefore has a part that is drawn anew
// for each call: no user can write a comment that reads like a job.
class SlurmCluster final : public Cluster {
 public:
  // The random stream is to be seeded so that users cannot guess it. All arguments outlive this.
  SlurmCluster(CommandRunner& commands, const Clock& clock, RandomStream random, const SlurmLimits& limits = {},
               const Patience& patience = {});

  Result<ClusterFacts> Facts() override;
  Result<ClusterSnapshot> Look() override;
  Result<std::vector<ClusterJob>> History(const Interval& span) override;

 private:
  // Calls the controller, with the breaker in between.
  Result<std::string> Ask(const std::vector<std::string>& command);
  Status Probe();
  std::string Separator();

  CommandRunner& commands_;
  const Clock& clock_;
  RandomStream random_;
  SlurmLimits limits_;
  CircuitBreaker breaker_;
};

}  // namespace heliostat::cluster
