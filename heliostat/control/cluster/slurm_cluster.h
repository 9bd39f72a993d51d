#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/random.h"
#include "heliostat/control/cluster/cluster.h"
#include "heliostat/control/cluster/command_runner.h"
#include "heliostat/control/cluster/slurm_call.h"

namespace heliostat::cluster {

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
  CommandRunner& commands_;
  const Clock& clock_;
  RandomStream random_;
  SlurmLimits limits_;
  SlurmCall call_;
};

}  // namespace heliostat::cluster
