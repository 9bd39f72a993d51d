#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/control/cluster/job.h"
#include "heliostat/control/controller/node_groups.h"
#include "heliostat/control/loop/world.h"

namespace heliostat::controller {

// A job that the cluster has started, as the loop sees it.
struct StartedJob {
  cluster::JobKey key;
  std::string user;
  std::size_t group = 0;  // of all its nodes
  int gpus = 0;
  Instant start;
  std::optional<Instant> end;     // of an ended job
  Duration length{};              // as predicted
  std::optional<Duration> slack;  // how much later it might have started; absent: it may not wait
  bool may_requeue = false;
};

// A real cluster as a world of the loop, for a shadow. It carries out no orders.
//
// A job enters the world when the cluster starts it: a shadow may start it later, and never earlier, because only the
// cluster knows priorities, limits and dependencies. Samples of a job are seconds of its run. A job that began and
// ended between two calls of Show() runs until the next one. Not thread-safe.
class ClusterWorld final : public loop::World {
 public:
  // Slots begin at whole multiples of `step` since 1970.
  ClusterWorld(Instant begin, Duration step, double pue, bool can_sleep);

  // Sets the present time; does not go back.
  void MoveTo(Instant now) { now_ = std::max(now_, now); }
  // Takes over the groups and, from `nodes`, their present state.
  void ShowNodes(const NodeGroups& groups, const cluster::ClusterSnapshot& snapshot);
  // All jobs that run now, and those that have ended since the last call, in any order. A job that is missing has ended
  // now.
  void ShowJobs(std::span<const StartedJob> jobs);

  // The id of a job that has been shown and is not over.
  std::optional<policy::JobId> IdOf(const cluster::JobKey& key) const;
  const cluster::JobKey* KeyOf(policy::JobId id) const;
  // As last shown.
  const policy::JobTable& jobs() const { return jobs_; }
  // A job is known until it is over for the shadow too.
  void Forget(policy::JobId id);

  io::Json Keep() const;
  // In a new object, before the first Look().
  Status Restore(const io::Json& kept);

  std::shared_ptr<const scenario::Site> site() const override { return site_; }
  policy::Capabilities capabilities() const override;
  Instant now() const override { return now_; }
  loop::WorldView Look() override;
  // Refuses everything.
  void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) override;
  // Time passes outside, by MoveTo().
  bool Wait(Instant /*until*/) override { return true; }

 private:
  std::size_t PointFor(std::size_t group, int gpus);
  void Begin(const StartedJob& job);
  void End(policy::JobId id, Instant end);
  void SetSite(scenario::Site site);

  bool can_sleep_;
  Instant now_;
  std::shared_ptr<const scenario::Site> site_;
  std::vector<Watts> gpu_busy_;  // [group]
  std::vector<policy::GroupState> groups_;
  policy::JobTable jobs_;
  std::map<cluster::JobKey, policy::JobId> ids_;
  std::map<policy::JobId, cluster::JobKey> keys_;
  std::map<policy::JobId, Instant> ends_at_next_;  // began and ended since the last call
  policy::JobId next_id_ = 1;
  std::vector<policy::JobId> arrived_, ended_;            // since the last Look()
  std::vector<policy::JobId> told_arrived_, told_ended_;  // at the last Look()
};

}  // namespace heliostat::controller
