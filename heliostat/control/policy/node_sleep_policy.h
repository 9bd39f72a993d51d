#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "heliostat/control/policy/choices.h"
#include "heliostat/control/policy/policy.h"

namespace heliostat::policy {

// Any policy, with idle nodes put to sleep and woken when work waits: for policies that do not mind nodes themselves.
// The policy inside is told that sleeping nodes are up; what it starts there begins as soon as they are. A node sleeps
// once it has idled as long as makes a wake-up pay, which never costs more than twice what knowing the future would.
class NodeSleepPolicy : public Policy {
 public:
  explicit NodeSleepPolicy(std::unique_ptr<Policy> inner) : inner_(std::move(inner)) {}
  void Decide(const Observation& observation, Decision& decision) override;
  void PlanWith(Planning& planning) override { inner_->PlanWith(planning); }

 private:
  // How long a node must idle until a wake-up would have been cheaper.
  static Duration BreakEven(const scenario::Group& group);
  void ForgetStarted(const Observation& observation);
  std::vector<Receipt> ReceiptsFor(const Observation& observation) const;
  void HoldBack(const Observation& observation, Decision& decision);
  // GPUs of each group that work waits for and that no node which is up has.
  std::vector<int> Missing(const Observation& observation, const Decision& decision);
  int NodesFor(const Observation& observation, std::size_t group, int missing_gpus, Decision& decision);

  std::unique_ptr<Policy> inner_;
  ChoiceTable book_;
  std::map<JobId, RunSetting> pending_;           // starts that found no GPUs yet
  std::vector<std::vector<Instant>> idle_since_;  // [group]: one for each idle node that is up, oldest first
};

}  // namespace heliostat::policy
