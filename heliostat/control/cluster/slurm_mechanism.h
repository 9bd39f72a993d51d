#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/random.h"
#include "heliostat/control/cluster/action_mechanism.h"
#include "heliostat/control/cluster/command_runner.h"
#include "heliostat/control/cluster/noted_actions.h"
#include "heliostat/control/cluster/slurm_call.h"

namespace heliostat::cluster {

// Slurm's records through squeue, and changes through scontrol (tested on 22.05). Jobs with the same change are one
// command, several commands are one scontrol that reads them; a comment with bytes that scontrol would take apart goes
// alone, as an argument. No shell is involved. Internal to this layer.
class SlurmMechanism final : public ActionMechanism {
 public:
  // `account` is the user as whom the commands run. All arguments outlive this.
  SlurmMechanism(CommandRunner& commands, CommandSender& sender, const Clock& clock, RandomStream random,
                 std::string account, const SlurmLimits& limits, const Patience& patience);

  Rights AskRights() override;
  Result<std::vector<JobRecord>> Records(const std::vector<std::int64_t>& numbers) override;
  std::vector<Said> Send(const std::vector<RecordOrder>& orders) override;
  Result<NodeSituation> Nodes() override;
  Said SendPower(const std::vector<std::string>& nodes, bool is_up) override;
  Said SendPin(const Pin& pin, bool is_new) override;
  Said SendUnpin(const std::string& name) override;

 private:
  Said SendOne(const std::vector<std::string>& command);

  CommandRunner& commands_;
  CommandSender& sender_;
  RandomStream random_;
  std::string account_;
  SlurmLimits limits_;
  SlurmCall call_;
};

// The actions of a Slurm cluster. All arguments outlive this.
class SlurmActions final : public Actions {
 public:
  SlurmActions(CommandRunner& commands, CommandSender& sender, const Clock& clock, RandomStream random,
               std::string account, const SlurmLimits& limits = {}, const Patience& patience = {})
      : mechanism_(commands, sender, clock, random, std::move(account), limits, patience),
        actions_(mechanism_, clock) {}

  Rights AskRights() override { return actions_.AskRights(); }
  std::vector<ActionResult> Do(const std::vector<JobAction>& actions) override { return actions_.Do(actions); }
  std::vector<ActionResult> PowerDown(const std::vector<std::string>& nodes) override {
    return actions_.PowerDown(nodes);
  }
  std::vector<ActionResult> PowerUp(const std::vector<std::string>& nodes) override { return actions_.PowerUp(nodes); }
  ActionResult SetPin(const Pin& pin) override { return actions_.SetPin(pin); }
  ActionResult RemovePin(const std::string& name) override { return actions_.RemovePin(name); }
  Result<std::vector<Pin>> Pins() override { return actions_.Pins(); }

 private:
  SlurmMechanism mechanism_;
  NotedActions actions_;
};

}  // namespace heliostat::cluster
