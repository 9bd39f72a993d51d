#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/core/units.h"

namespace heliostat::scenario {

// A setting of a GPU: a core clock, a power limit, or neither (its default).
struct GpuSetting {
  std::optional<double> core_mhz;
  std::optional<double> power_limit_w;
  friend bool operator==(const GpuSetting&, const GpuSetting&) = default;
};

// Nodes that are alike.
struct Group {
  std::string name;
  std::string gpu;
  int nodes = 0;
  int gpus_per_node = 0;
  Watts gpu_idle;    // one idle GPU of a node that is on
  Watts node_base;   // one node that is on, without its GPUs
  Watts node_sleep;  // one node that is off
  Duration wake_time{};
  Joules wake_energy;  // of one wake-up, in addition to node_base during wake_time

  int gpus() const { return nodes * gpus_per_node; }
  friend bool operator==(const Group&, const Group&) = default;
};

// One row of a training profile: a number of workers and a setting, with their speed and power.
struct TrainingPoint {
  GpuSetting knob;
  int workers = 1;
  double samples_per_s = 0.0;
  Watts power;  // of all workers together
  friend bool operator==(const TrainingPoint&, const TrainingPoint&) = default;
};

// One row of an inference profile: a setting and a batch on one fully busy GPU.
struct InferencePoint {
  GpuSetting knob;
  int batch = 1;
  Seconds latency{};  // service time of one batch
  double requests_per_s = 0.0;
  Watts power;
  friend bool operator==(const InferencePoint&, const InferencePoint&) = default;
};

// Points by model and GPU, in the order of the file. Not thread-safe while points are added.
template <typename Point>
class Profiles {
 public:
  void Add(const std::string& model, const std::string& gpu, Point point) {
    points_[{model, gpu}].push_back(std::move(point));
  }
  // Empty when the model was never measured on that GPU.
  const std::vector<Point>& Of(const std::string& model, const std::string& gpu) const {
    static const std::vector<Point> kNone;
    const auto found = points_.find({model, gpu});
    return found == points_.end() ? kNone : found->second;
  }
  const std::map<std::pair<std::string, std::string>, std::vector<Point>>& all() const { return points_; }
  friend bool operator==(const Profiles&, const Profiles&) = default;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<Point>> points_;
};

// GPUs that a job holds on one node.
struct NodeShare {
  int node = 0;
  int gpus = 0;
  friend bool operator==(const NodeShare&, const NodeShare&) = default;
};

// How a job stands that has begun before the time at which it may run.
struct Begun {
  std::size_t group = 0;           // it stays there
  int workers = 0;                 // it runs with these until its submit time; 0: it waits
  Duration resume_left{};          // time without progress that is left if it goes on
  std::vector<NodeShare> nodes{};  // where it runs; empty when that is not known
  friend bool operator==(const Begun&, const Begun&) = default;
};

// A stretch of time in which a job ran on the site that a scenario records.
struct RecordedRun {
  Interval span;
  std::vector<NodeShare> nodes{};  // of the recorded group; empty when that is not known
  friend bool operator==(const RecordedRun&, const RecordedRun&) = default;
};

// How a job ran on the site that a scenario records.
struct Recorded {
  std::optional<std::size_t> group{};  // nothing: not known
  std::vector<RecordedRun> runs{};     // one after the other, at least one; more where it was requeued
  friend bool operator==(const Recorded&, const Recorded&) = default;
};

// Training with a number of samples, perhaps with a deadline.
struct Job {
  std::string id;
  std::string model;
  Instant submit;
  std::optional<Instant> deadline;  // nothing: best effort
  double samples = 0.0;
  int min_workers = 1;
  int max_workers = 1;
  bool preemptible = true;       // false: without a pause, with one number of workers
  Duration resume{};             // time without progress at each start, restart or change of workers
  double weight = 1.0;           // what missing its deadline weighs, compared with other jobs
  std::string owner{};           // empty: not named
  std::optional<Begun> begun{};  // nothing: it has not begun. Not in files.
  std::optional<Recorded> recorded{};
  friend bool operator==(const Job&, const Job&) = default;
};

// Inference with a latency objective.
struct Service {
  std::string id;
  std::string model;
  Seconds latency_slo{};
  double percentile = 0.99;            // of the latency, between 0 and 1
  std::vector<double> requests_per_s;  // one per slot
  int min_replicas = 1;
  int max_replicas = 1;
  friend bool operator==(const Service&, const Service&) = default;
};

// How performance is defined; see docs/contract.md.
enum class Performance { kThroughput, kHeadroom };

// A cluster without signals and work: groups of nodes, profiles of models on their GPUs, and the grid of slots. It has
// no end in time. A change makes a new object with a higher version.
struct Site {
  std::string name;
  std::uint64_t version = 1;
  Instant start;  // of slot 0
  Duration step{3600};
  double pue = 1.0;
  Currency currency = Currency::Usd();
  Performance performance = Performance::kThroughput;
  CarbonIntensity renewable_carbon;  // of on-site power
  std::vector<Group> groups;
  Profiles<TrainingPoint> training;
  Profiles<InferencePoint> inference;

  Interval SlotSpan(std::size_t slot) const {
    const Instant begin = start + step * static_cast<std::int64_t>(slot);
    return {begin, begin + step};
  }
  // The slot that contains `time`, which must not be before `start`.
  std::size_t SlotAt(Instant time) const { return static_cast<std::size_t>((time - start) / step); }
  // Points that the job may use in a group, as indices into training.Of(job.model, groups[group].gpu): its range of
  // workers, and no more than the group has GPUs. A setting that was measured twice with different results is ambiguous
  // in a plan, so it is left out as long as the job has other points in any group.
  std::vector<std::size_t> PointsFor(const Job& job, std::size_t group) const;
  // The model's best speed with one worker in any group or, where one worker was never measured, the best speed per
  // worker. It defines a reference GPU-hour.
  double ReferenceSamplesPerS(const std::string& model) const;
  double ReferenceRequestsPerS(const std::string& model) const;
  friend bool operator==(const Site&, const Site&) = default;
};

// A site, its signals and its work over a horizon: the input of plans and simulations. Valid once read or passed by
// Validate(): every vector of values per slot has `slots` values, all finite.
struct Scenario : Site {
  std::size_t slots = 0;
  std::vector<CarbonIntensity> carbon;  // of the grid, per slot
  std::vector<Watts> renewable;         // on-site power, per slot; zeros when there is none
  std::vector<double> price_per_kwh;    // per slot, or empty when the scenario has no prices
  std::vector<Job> jobs;
  std::vector<Service> services;
  std::string baseline{};  // the policy that stands for the site as it is; empty: not named
  // [group][node]: whether the node is up before the start. Empty: every node is. Not in files.
  std::vector<std::vector<bool>> is_up{};

  const Site& site() const { return *this; }
  Instant end() const { return start + step * static_cast<std::int64_t>(slots); }
  Interval horizon() const { return {start, end()}; }
  // How many nodes of the group are up before the start.
  int UpBefore(std::size_t group) const;
  // The part of the horizon in which the job may run, from submit to its deadline. Empty if there is none.
  Interval WindowOf(const Job& job) const;
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

// Fails at the first value that is out of range or inconsistent, with a message for users. Readers call it; code that
// builds scenarios should call it as well.
Status Validate(const Scenario& scenario);

}  // namespace heliostat::scenario
