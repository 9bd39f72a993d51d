#pragma once

#include <optional>

#include "heliostat/control/cluster/slurm_mechanism.h"
#include "heliostat/control/cluster/testing/memory_stage.h"
#include "heliostat/control/cluster/testing/toy_slurm.h"

namespace heliostat::cluster::testing {

// The actions of Slurm on a scripted one.
class ToyStage final : public MemoryStage {
 public:
  Actions& actions() override { return *actions_; }
  ActionMechanism& mechanism() override { return mechanism_; }
  void Restart() override { actions_.emplace(slurm, slurm, clock(), RandomStream(3), "carbon"); }

  ToySlurm slurm{memory(), "carbon"};

 private:
  SlurmMechanism mechanism_{slurm, slurm, clock(), RandomStream(4), "carbon", {}, {}};
  std::optional<SlurmActions> actions_{std::in_place, slurm, slurm, clock(), RandomStream(3), "carbon"};
};

}  // namespace heliostat::cluster::testing
