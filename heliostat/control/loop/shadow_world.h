#pragma once

#include <map>
#include <optional>
#include <vector>

#include "heliostat/control/loop/driver.h"
#include "heliostat/control/policy/choices.h"
#include "heliostat/model/scenario/energy.h"

namespace heliostat::loop {

// Another world, real or recorded, in which nothing is changed: orders are carried out on a twin of it, by the
// profiles, and the twin's electricity is what would have been. Jobs come when they come there. How long one really is
// shows when it is done there; until then its user's word counts, unless it has outrun that there already. A job that
// fails or is cancelled there ends here. The twin counts GPUs and nodes per group; it does not place jobs on nodes.
// Used from one thread.
class ShadowWorld : public World {
 public:
  // Jobs that run at the first look go on as they do. `signals` is the driver's outlook; both outlive the shadow.
  ShadowWorld(World& real, policy::Outlook& signals) : real_(real), signals_(signals) {}

  std::shared_ptr<const scenario::Site> site() const override { return real_.site(); }
  policy::Capabilities capabilities() const override { return real_.capabilities(); }
  Instant horizon() const override { return real_.horizon(); }
  Instant now() const override { return real_.now(); }
  WorldView Look() override;
  void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) override;
  bool Wait(Instant until) override;

  struct Totals {
    account::Balance was;              // of the world that is shadowed, by its own account
    account::Balance would_have_been;  // of the twin
    std::size_t jobs_done = 0;         // on the twin
    std::size_t jobs_late = 0;         // of those with a deadline that are done or over it
  };
  Totals totals() const;

 private:
  struct Group {
    int up = 0;
    std::vector<Instant> waking;  // when each is up, soonest first
    int usable = 0;               // nodes that work, asleep or not
    scenario::GroupUse use;       // of the slot so far
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

  World& real_;
  policy::Outlook& signals_;
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
