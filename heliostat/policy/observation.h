#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/scenario/scenario.h"

namespace heliostat::policy {

// Counts the jobs of a world in the order in which it learnt of them.
using JobId = std::size_t;

// Where and how a job trains.
struct Setting {
  std::size_t group = 0;
  std::size_t point = 0;  // index into training.Of(model, gpu of the group)
  friend bool operator==(const Setting&, const Setting&) = default;
};

// Where and how a service answers.
struct Serving {
  std::size_t group = 0;
  std::size_t point = 0;  // index into inference.Of(model, gpu of the group)
  int replicas = 0;
  friend bool operator==(const Serving&, const Serving&) = default;
};

// A job as far as anybody knows it. Its samples are what its user said; how many it really needs shows when it is done.
struct JobState {
  enum class Phase { kWaiting, kRunning, kDone };

  scenario::Job asked;
  Phase phase = Phase::kWaiting;
  Setting setting;                  // while it runs
  std::optional<std::size_t> home;  // the group in which it began: it stays there
  double samples_done = 0.0;        // until `since`
  double samples_per_s = 0.0;       // from `since` on
  Instant since;                    // while it runs: when resuming is over, or later

  // By the user's estimate. A job that is not done though it should be has a little left, always.
  double SamplesLeft(Instant now) const;
};

struct ServiceState {
  scenario::Service asked;      // without rates: what is to come is in the outlook
  double requests_per_s = 0.0;  // measured now
  Serving serving;              // as it stands
};

// Nodes and GPUs of a group as they stand. Nodes that work are up, waking, or asleep.
struct GroupState {
  int up = 0;
  int waking = 0;
  int asleep = 0;
  int failed = 0;
  int nodes_in_use = 0;  // up, with a job or a replica
  int gpus_up = 0;       // that work, of nodes that are up
  int gpus_in_use = 0;

  int gpus_free() const { return gpus_up - gpus_in_use; }
  int nodes() const { return up + waking + asleep; }  // that could serve
};

// Signals from the present slot on, one value a slot: the first is measured, the others are expected.
struct Forecast {
  std::span<const CarbonIntensity> carbon;
  std::span<const Watts> renewable;
  std::span<const double> price_per_kwh;                // empty without prices
  std::vector<std::span<const double>> requests_per_s;  // [service]
  std::vector<const scenario::Job*> jobs;               // that are known to come, soonest first; mostly nobody knows

  std::size_t slots() const { return carbon.size(); }
};

// Who knows what is to come. Asked only by policies that look ahead: a forecast may cost time.
class Outlook {
 public:
  virtual ~Outlook() = default;
  // From the slot that holds `now` until the end of the world that the policy lives in, or for as long as anybody dares
  // to say. What it refers to holds as long as the outlook.
  virtual Forecast Ahead() = 0;
  // The present values alone: cheap.
  virtual CarbonIntensity CarbonNow() const = 0;
  virtual double PriceNow() const = 0;
  // The highest carbon intensity of the last day.
  virtual CarbonIntensity DirtiestOfDay() const = 0;
};

// What a policy sees: the clock, the cluster, the queue, signals so far and forecasts. Whether the world is simulated
// or real cannot be told from it.
struct Observation {
  Instant now;
  std::size_t slot = 0;     // that holds `now`, counted from site.start
  bool slot_begins = true;  // first call in this slot: signals are new
  // What does not change: groups, profiles, slots, PUE. Without jobs, services' rates and signals.
  const scenario::Scenario& site;
  std::span<const JobState> jobs;      // all that ever came, by JobId
  std::span<const JobId> arrived;      // since the last call
  std::span<const JobId> ended;        // done since the last call
  std::span<const JobId> interrupted;  // lost their GPUs since the last call; they wait again
  std::span<const ServiceState> services;
  std::span<const GroupState> groups;
  double carbon_kg_so_far = 0.0;
  Outlook& outlook;
};

struct JobOrder {
  JobId job = 0;
  std::optional<Setting> setting;  // nothing: stop, and wait
  std::optional<Instant> until{};  // when the run is expected to end, if known: jobs that end together share nodes
};

struct ServiceOrder {
  std::size_t service = 0;
  Serving serving;
};

// What a policy wants. Orders are carried out as far as they can be: stops first, then services, then nodes, then jobs
// in the order given. A job that finds too few free GPUs on nodes that are up keeps waiting.
struct Decision {
  std::vector<JobOrder> jobs;
  std::vector<ServiceOrder> services;
  std::vector<int> nodes_on;          // [group]: to be up or waking; empty: as it is. Nodes in use stay up anyway.
  std::optional<Instant> call_again;  // beside the events that every policy is called for

  void Clear();
};

}  // namespace heliostat::policy
