#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/control/loop/driver.h"
#include "heliostat/control/policy/choices.h"
#include "heliostat/model/scenario/energy.h"

namespace heliostat::loop {

// Shadows another world, real or recorded, and changes nothing in it. Orders take effect on a twin, a model of that
// world by its profiles; the twin's electricity is what the policy would have used. Jobs arrive in the twin when they
// arrive in the real world. The true length of a job is known when it is done in the real world. Until then the user's
// estimate counts; a job that has exceeded its estimate in the real world has no known end in the twin. A job that
// fails or is cancelled in the real world ends in the twin. The twin counts GPUs and nodes per group; it does not place
// jobs on nodes. Used from one thread.
class ShadowWorld : public World {
 public:
  // The supply of a slot that has ended.
  using SupplyOf = std::function<account::Supply(const Interval& slot)>;

  // Jobs that run at the first Look() keep running as they do. `signals` is the driver's outlook. Both must outlive the
  // shadow. Without `supply_of` a slot has the supply that the last step in it saw.
  ShadowWorld(World& real, policy::Outlook& signals, SupplyOf supply_of = {})
      : real_(real), signals_(signals), supply_of_(std::move(supply_of)) {}

  std::shared_ptr<const scenario::Site> site() const override { return real_.site(); }
  // Those of the real world, without placing.
  policy::Capabilities capabilities() const override;
  Instant horizon() const override { return real_.horizon(); }
  Instant now() const override { return real_.now(); }
  WorldView Look() override;
  void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) override;
  bool Wait(Instant until) override;

  struct Totals {
    account::Balance was;              // of the real world, as it reports
    account::Balance would_have_been;  // of the twin
    std::size_t jobs_done = 0;         // on the twin
    std::size_t jobs_late = 0;         // done after their deadline, or not done and past it
  };
  // The twin's balance includes a slot once it has ended, and the last one once the world has ended.
  Totals totals() const;
  // The balance of the twin's present slot so far. `supply` is that of the whole slot.
  account::Balance Open(const account::Supply& supply) const;
  // The jobs of the twin.
  const policy::JobTable& jobs() const { return jobs_; }

  // A job of which the real world has done more than the twin.
  struct Arrears {
    policy::JobId job = 0;
    std::size_t group = 0;
    int workers = 0;
    Seconds running{};  // that the twin has to make up for
  };
  std::vector<Arrears> JobsInArrears() const;

  // The state of the twin, to go on with after a restart, in a new object and before its first Look(). The real world
  // must know its jobs by the same ids.
  io::Json Keep() const;
  Status Restore(const io::Json& kept);

 private:
  struct Group {
    int up = 0;
    std::vector<Instant> waking;  // when each node is up, soonest first
    int usable = 0;               // nodes that have not failed, asleep or not
    scenario::GroupUse use;       // in the present slot so far
  };

  void Follow(const WorldView& view);
  void Adopt(policy::JobId id, const policy::JobState& real);
  void LearnEnd(policy::JobId id, const policy::JobState& real);
  void Finish(policy::JobId id, policy::Phase how);
  const scenario::TrainingPoint& PointOf(const policy::JobState& job) { return PointOf(job, job.setting); }
  const scenario::TrainingPoint& PointOf(const policy::JobState& job, const policy::RunSetting& setting);
  bool IsStop(const policy::JobOrder& order);
  policy::Receipt Carry(const policy::JobOrder& order);
  void Serve(const policy::ServiceOrder& order);
  void SetNodesOn(std::size_t group, int wanted);
  std::vector<int> BusyGpus();
  void CountGroups();
  Instant NextEvent();
  std::optional<double> GoalOf(policy::JobId id, const policy::JobState& job, Instant when) const;
  std::optional<Instant> EndOf(policy::JobId id, const policy::JobState& job) const;
  void AdvanceTo(Instant now);
  void Draw(Seconds length);
  void Progress(Instant now);
  void CloseSlot();
  Joules OpenEnergy() const;

  World& real_;
  policy::Outlook& signals_;
  SupplyOf supply_of_;
  bool is_first_ = true;
  Instant drawn_until_;
  std::size_t slot_ = 0;
  account::Supply supply_;  // of the present slot
  std::vector<Group> groups_;
  std::vector<policy::GroupState> group_states_;
  policy::JobTable jobs_;
  const policy::JobTable* real_jobs_ = nullptr;   // as of the last look
  std::map<policy::JobId, double> true_samples_;  // of jobs that are done in the real world
  policy::ChoiceTable book_;
  std::vector<policy::ServiceState> services_;
  std::vector<policy::JobId> arrived_, ended_, told_ended_;
  account::Balance was_;
  account::Balance balance_;
  std::size_t done_ = 0;
  std::size_t late_ = 0;
};

}  // namespace heliostat::loop
