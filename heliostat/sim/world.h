#pragma once

#include <map>
#include <memory>
#include <vector>

#include "heliostat/core/random.h"
#include "heliostat/plan/progress.h"
#include "heliostat/sim/event_queue.h"
#include "heliostat/sim/service_queue.h"
#include "heliostat/sim/simulation.h"

namespace heliostat::sim {

// The simulated cluster: who runs where, which nodes are up, what the meter reads. Carries out decisions and says what
// happened; knows nothing of why. Time moves only through AdvanceTo().
class World {
 public:
  World(const scenario::Scenario& scenario, const Options& options);

  Instant now() const { return meter_.now(); }
  // When something happens next by itself: a job is done, a node is up, something breaks or is mended.
  std::optional<Instant> NextEvent() const;

  // Events at exactly this time happen; before that nothing may have been due.
  void AdvanceTo(Instant now);
  void BeginSlot(std::size_t slot);
  void EndSlot();  // the meter stands at the slot's end
  void Submit(std::size_t scenario_job);
  void Apply(const policy::Decision& decision);

  const std::vector<policy::JobState>& jobs() const { return jobs_; }
  const std::vector<policy::ServiceState>& services() const { return services_; }
  const std::vector<policy::GroupState>& groups();
  double carbon_kg() const { return InKilograms(meter_.total().carbon); }

  // What happened since the last call of ClearNews().
  const std::vector<policy::JobId>& arrived() const { return arrived_; }
  const std::vector<policy::JobId>& ended() const { return ended_; }
  const std::vector<policy::JobId>& interrupted() const { return interrupted_; }
  bool anything_new() const { return anything_new_; }
  void ClearNews();

  // The record of it all, once the horizon is over.
  Run Finish();

 private:
  enum class What { kJobDone, kNodeUp, kNodeFails, kGpuFails, kNodeRepaired, kGpuRepaired };
  struct Event {
    What what;
    std::size_t which;  // a job, or a group
    int node = 0;
    int version = 0;  // of a job's course: an older one is void
  };
  // What only the world knows of a job.
  struct Work {
    std::size_t scenario_job = 0;
    double true_samples = 0.0;
    const plan::TrainingTable* table = nullptr;
    Holds holds;
    int version = 0;
    Instant segment_begin;
    Instant run_begin;            // since when it holds its GPUs: checkpoints count from there
    double samples_at_begin = 0;  // of this run
  };

  const scenario::TrainingPoint& PointOf(policy::JobId job) const;
  void Happen(const Event& event);
  void FinishJob(policy::JobId job);
  void Stop(policy::JobId job);
  void Bank(policy::JobId job);  // progress and energy until now
  bool Start(const policy::JobOrder& order);
  void Retune(policy::JobId job, std::size_t point);
  void ScheduleEnd(policy::JobId job);
  void Interrupt(policy::JobId job);
  void Serve(const policy::ServiceOrder& order);
  void LeaveGpus(std::size_t service);
  void SetNodesOn(std::size_t group, int wanted);
  void SetNode(std::size_t group, int node, NodeState state);
  void FailNode(std::size_t group, int node);
  void FailGpu(std::size_t group, int node);
  void EvictAll(std::size_t group, int node);
  void ScheduleFault(What what, std::size_t group, int node);
  void RefreshLoad(std::size_t group);
  Watts ServingPower(std::size_t group) const;
  const plan::TrainingTable& TableOf(const std::string& model);

  const scenario::Scenario& scenario_;
  const Options& options_;
  Meter meter_;
  EventQueue<Event> events_;
  std::vector<Nodes> nodes_;
  std::vector<Watts> training_power_;  // [group]
  std::vector<int> training_gpus_;     // [group]
  std::vector<policy::GroupState> group_states_;
  std::vector<policy::JobState> jobs_;
  std::vector<Work> works_;
  std::vector<policy::ServiceState> services_;
  std::vector<Holds> replicas_;  // [service]
  std::vector<ServiceQueue> queues_;
  std::map<std::string, std::unique_ptr<plan::TrainingTable>> tables_;
  std::vector<std::vector<Instant>> state_since_;  // [group][node]
  RandomStream random_;
  std::vector<policy::JobId> arrived_;
  std::vector<policy::JobId> ended_;
  std::vector<policy::JobId> interrupted_;
  bool anything_new_ = true;
  std::vector<double> up_seconds_;  // [group], of this slot
  Run run_;
};

}  // namespace heliostat::sim
