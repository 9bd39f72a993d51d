#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "heliostat/control/policy/choices.h"
#include "heliostat/control/policy/policy.h"

namespace heliostat::policy {

// Adds right-sizing to a policy that does not order nodes itself: idle nodes sleep, and wake when work waits for them.
// The inner policy sees sleeping nodes as up; a job that it starts there begins once enough nodes are up. A node sleeps
// after it has been idle for the break-even time: then the idle energy equals the energy of a wake-up. So idle and
// wake-up energy are at most about twice those of a policy that knows the future. Where the inner policy names the
// nodes of jobs, these nodes wake, and of the idle nodes those sleep that nobody used for the longest time. Not
// thread-safe.
class NodeSleepPolicy : public Policy {
 public:
  explicit NodeSleepPolicy(std::unique_ptr<Policy> inner) : inner_(std::move(inner)) {}
  void Decide(const Observation& observation, Decision& decision) override;
  void PlanWith(Planning& planning) override { inner_->PlanWith(planning); }
  bool MindsNodes() const override { return true; }
  bool Replans() const override { return inner_->Replans(); }

 private:
  // How long a node must be idle before a wake-up would have cost less energy.
  static Duration BreakEven(const scenario::Group& group);
  void ForgetStarted(const Observation& observation);
  std::vector<Receipt> ReceiptsFor(const Observation& observation) const;
  void HoldBack(const Observation& observation, Decision& decision);
  // [group]: GPUs that work needs beyond the free GPUs of nodes that are up. Negative where some stay free.
  std::vector<int> Missing(const Observation& observation, const Decision& decision);
  int NodesFor(const Observation& observation, std::size_t group, int missing_gpus, Decision& decision);
  // Whether the nodes that the order names are up. True for an order that names none.
  static bool AreUp(const Observation& observation, const JobOrder& order);
  // Replaces the numbers of nodes in `decision` by names.
  void NameNodes(const Observation& observation, Decision& decision);
  std::vector<int> NamesFor(const Observation& observation, std::size_t group, const std::set<int>& needed, int count);

  std::unique_ptr<Policy> inner_;
  ChoiceTable book_;
  std::map<JobId, JobOrder> pending_;             // starts that wait for GPUs
  bool names_nodes_ = false;                      // the inner policy has named nodes
  std::vector<std::vector<Instant>> last_used_;   // [group][node]
  std::vector<std::vector<Instant>> idle_since_;  // [group]: one per idle node that is up, oldest first
};

}  // namespace heliostat::policy
