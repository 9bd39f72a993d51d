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

// How a GPU is set: a core clock, a power limit, or neither (its default).
struct GpuSetting {
  std::optional<double> core_mhz;
  std::optional<double> power_limit_w;
  friend bool operator==(const GpuSetting&, const GpuSetting&) = default;
};

// Alike nodes.
struct Group {
  std::string name;
  std::string gpu;
  int nodes = 0;
  int gpus_per_node = 0;
  Watts gpu_idle;    // one GPU with nothing running, node on
  Watts node_base;   // one node that is on, its GPUs not counted
  Watts node_sleep;  // one node that is off
  Duration wake_time{};
  Joules wake_energy;  // of one wake-up, beside node_base while it wakes

  int gpus() const { return nodes * gpus_per_node; }
  friend bool operator==(const Group&, const Group&) = default;
};

// One measured way to train a model: so many workers, set so.
struct TrainingPoint {
  GpuSetting knob;
  int workers = 1;
  double samples_per_s = 0.0;
  Watts power;  // of all workers' GPUs together
  friend bool operator==(const TrainingPoint&, const TrainingPoint&) = default;
};

// One measured way to serve a model on one GPU, fully busy.
struct InferencePoint {
  GpuSetting knob;
  int batch = 1;
  Seconds latency{};  // service time of one batch
  double requests_per_s = 0.0;
  Watts power;
  friend bool operator==(const InferencePoint&, const InferencePoint&) = default;
};

// Points by model and GPU. The order is that of the file.
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

struct Job {
  std::string id;
  std::string model;
  Instant submit;
  std::optional<Instant> deadline;  // none: best effort
  double samples = 0.0;
  int min_workers = 1;
  int max_workers = 1;
  bool preemptible = true;  // false: in one piece, at one number of workers
  Duration resume{};        // GPU time lost at each start, restart or change of workers
  friend bool operator==(const Job&, const Job&) = default;
};

struct Service {
  std::string id;
  std::string model;
  Seconds latency_slo{};
  double percentile = 0.99;
  std::vector<double> requests_per_s;  // one a slot
  int min_replicas = 1;
  int max_replicas = 1;
  friend bool operator==(const Service&, const Service&) = default;
};

enum class Performance { kThroughput, kHeadroom };

// A cluster as it stands apart from what it meets: groups of nodes, what models do on their GPUs, and the grid of slots
// that time is counted in. It has no end. A change makes a new object with a higher version.
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
  // The slot that holds `time`, which is not before `start`.
  std::size_t SlotAt(Instant time) const { return static_cast<std::size_t>((time - start) / step); }
  // Points that the job may use in a group, as indices into training.Of(job.model, groups[group].gpu):
  // its range of workers, and no more than the group has GPUs. A setting that was measured twice with different results
  // could not be told apart in a plan, so it is left out as long as the job has others anywhere.
  std::vector<std::size_t> PointsFor(const Job& job, std::size_t group) const;
  // The model's best one-worker speed anywhere on this site (or, where one worker was never measured, the best speed
  // per worker): what a reference GPU-hour of training means.
  double ReferenceSamplesPerS(const std::string& model) const;
  double ReferenceRequestsPerS(const std::string& model) const;
  friend bool operator==(const Site&, const Site&) = default;
};

// A site, its work and the signals it meets over a number of slots: everything that a plan or a simulation starts
// from. Valid once read or passed by Validate(): every vector of values per slot has `slots` values, all finite.
struct Scenario : Site {
  std::size_t slots = 0;
  std::vector<CarbonIntensity> carbon;  // of the grid, per slot
  std::vector<Watts> renewable;         // on-site power, per slot; zeros when there is none
  std::vector<double> price_per_kwh;    // per slot, or empty when the scenario has no prices
  std::vector<Job> jobs;
  std::vector<Service> services;

  const Site& site() const { return *this; }
  Instant end() const { return start + step * static_cast<std::int64_t>(slots); }
  Interval horizon() const { return {start, end()}; }
  // The part of the horizon in which the job may run: from submit until its deadline. Empty if there is none.
  Interval WindowOf(const Job& job) const;
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

// Refuses whatever no plan could make sense of: the first thing wrong, in the user's terms. Readers call it; code that
// builds scenarios by hand should too.
Status Validate(const Scenario& scenario);

}  // namespace heliostat::scenario
