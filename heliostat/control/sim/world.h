#pragma once

#include <map>
#include <memory>
#include <vector>

#include "heliostat/control/loop/world.h"
#include "heliostat/control/sim/event_queue.h"
#include "heliostat/control/sim/fault_source.h"
#include "heliostat/control/sim/simulated_nodes.h"
#include "heliostat/control/sim/simulated_services.h"
#include "heliostat/control/sim/simulation.h"
#include "heliostat/planning/plan/progress.h"

namespace heliostat::sim {

// The simulated cluster: jobs and their places, nodes, services and the meter. It carries out decisions and reports
// what happens. Jobs arrive at the submit times of the scenario. Used from one thread.
class SimulatedWorld : public loop::World {
 public:
  // Both arguments must outlive it.
  SimulatedWorld(const scenario::Scenario& scenario, const SimulationOptions& options);

  std::shared_ptr<const scenario::Site> site() const override { return site_; }
  policy::Capabilities capabilities() const override { return options_.capabilities; }
  Instant horizon() const override { return scenario_.end(); }
  Instant now() const override { return meter_.now(); }
  loop::WorldView Look() override;
  void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) override;
  bool Wait(Instant until) override;

  // The result. Call once, after Wait() has returned false.
  SimulatedRun Finish();

 private:
  enum class What { kJobDone, kNodeUp, kNodeFails, kGpuFails, kNodeRepaired, kGpuRepaired };
  struct Event {
    What what;
    std::size_t which;  // a job, or a group
    int node = 0;
    int version = 0;  // of a job's scheduled end: an older event is void
  };
  // What policies do not see of a job.
  struct Work {
    std::size_t scenario_job = 0;
    double true_samples = 0.0;
    const plan::TrainingTable* table = nullptr;
    int version = 0;
    Instant segment_begin;
    Instant run_begin;            // when it took its GPUs; checkpoints count from there
    double samples_at_begin = 0;  // samples done when this run began
  };

  // Advances the meter to `now`. No event may be due earlier.
  void AdvanceTo(Instant now);
  void HandleDue();
  void BeginSlot();
  void EndSlot();  // the meter must be at the end of the slot
  void SubmitUntil(Instant now);
  void Submit(std::size_t scenario_job);
  const scenario::TrainingPoint& PointOf(policy::JobId job) const;
  bool IsStop(const policy::JobOrder& order) const;
  policy::Receipt Carry(const policy::JobOrder& order);
  void Happen(const Event& event);
  void FinishJob(policy::JobId job);
  void Stop(policy::JobId job);
  void Bank(policy::JobId job);  // adds progress and energy up to now
  bool Start(const policy::JobOrder& order);
  Holds PlaceFor(const policy::JobOrder& order, int gpus);
  void Retune(policy::JobId job, std::size_t point);
  void ScheduleEnd(policy::JobId job);
  void Interrupt(policy::JobId job);
  void SetNodesOn(std::size_t group, int wanted);
  void SetNodesUp(std::size_t group, const std::vector<int>& wanted);
  void Wake(std::size_t group, int node);
  void SetNode(std::size_t group, int node, NodeState state);
  void FailNode(std::size_t group, int node);
  void FailGpu(std::size_t group, int node);
  void EvictAll(std::size_t group, int node);
  void ScheduleFault(What what, std::size_t group, int node);
  void RefreshLoad(std::size_t group);
  const plan::TrainingTable& TableOf(const std::string& model);

  const scenario::Scenario& scenario_;
  const SimulationOptions& options_;
  std::shared_ptr<const scenario::Site> site_;
  std::vector<std::size_t> arrivals_;  // the scenario's jobs by time of submission
  std::size_t next_arrival_ = 0;       // also the id of the next job
  std::size_t slot_ = 0;
  Meter meter_;
  EventQueue<Event> events_;
  SimulatedNodes nodes_;
  SimulatedServices services_;
  std::vector<Watts> training_power_;  // [group]
  std::vector<int> training_gpus_;     // [group]
  policy::JobTable jobs_;
  std::vector<Work> works_;  // by job id
  std::map<std::string, std::unique_ptr<plan::TrainingTable>> tables_;
  FaultSource faults_;
  // What has happened since the last Look() (`news_`), and what that Look() returned (`told_`).
  struct News {
    std::vector<policy::JobId> arrived;
    std::vector<policy::JobId> ended;
    std::vector<policy::JobId> interrupted;
    void Clear();
  };
  News news_;
  News told_;
  bool anything_new_ = true;
  SimulatedRun run_;
};

}  // namespace heliostat::sim
