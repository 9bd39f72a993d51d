#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "heliostat/control/cluster_account/accounts.h"
#include "heliostat/control/controller/cluster_world.h"
#include "heliostat/control/controller/report.h"
#include "heliostat/control/controller/signal_outlook.h"
#include "heliostat/control/controller/slot_costs.h"
#include "heliostat/control/controller/slot_history.h"
#include "heliostat/control/controller/state_store.h"
#include "heliostat/control/loop/decision_log.h"
#include "heliostat/control/loop/shadow_world.h"
#include "heliostat/control/loop/threaded_planning.h"

namespace heliostat::controller {

// Decides for a cluster on its twin, and compares the electricity of both. Jobs whose nodes are of several groups, and
// those without GPUs, are in neither side of the comparison. Not thread-safe.
class Shadow : private loop::StepListener {
 public:
  // `config` and `outlook` must outlive the shadow.
  static Result<std::unique_ptr<Shadow>> Make(const Config& config, Instant begin, bool can_sleep,
                                              SignalOutlook& outlook);
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  // One step of the loop. `before` is the state of the nodes until now.
  void Step(const NodeGroups& groups, const cluster::ClusterSnapshot& snapshot, std::span<const StartedJob> jobs,
            std::span<const cluster_account::NodeSpan> before, std::span<const cluster_account::JobSpan> spans);

  // How the job stands on the twin; nothing for a job that is not there.
  std::optional<TwinJob> Of(const cluster::JobKey& key) const;
  // Sums of the slots that have ended, and what runs now on both sides.
  SlotHistory::Totals Closed() const;
  // The same of the present slot so far.
  SlotHistory::Totals Open() const;
  ShadowReport Report(const SlotCosts& costs, const NodeGroups& groups) const;

  // What to keep of a shadow over a restart. Without one, the names alone. The shadow must outlive the parts.
  static std::vector<StateChange::Part> Parts(const Shadow* shadow);
  // In a new object, before the first step. `load` returns the part of a name.
  Status Restore(const std::function<Result<io::Json>(const std::string& name)>& load);
  // Closes the decision log.
  ~Shadow() override;

 private:
  Shadow(const Config& config, Instant begin, bool can_sleep, SignalOutlook& outlook,
         std::unique_ptr<policy::Policy> policy, std::string policy_name);
  void Stepped(const policy::Observation& observation, const policy::Decision& decision) override;
  void LogTo(Instant now);
  io::Json KeepJobs() const;
  Status RestoreJobs(const io::Json& kept);
  void FollowTwin();

  const Config& config_;
  SignalOutlook& signals_;
  loop::RecordingOutlook outlook_;
  ClusterWorld world_;
  loop::ShadowWorld twin_;
  policy::TimedPlanning in_place_;
  std::unique_ptr<loop::ThreadedPlanning> threads_;
  loop::RecordingPlanning planning_;
  std::string policy_name_;
  std::unique_ptr<policy::Policy> policy_;
  loop::Driver driver_;
  cluster_account::Accounts was_;
  std::unique_ptr<loop::DecisionLog> log_;
  std::optional<Instant> log_day_;
  Instant since_;
  bool is_begun_ = false;
  std::map<policy::JobId, TwinJob> jobs_;
};

}  // namespace heliostat::controller
