#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "heliostat/control/policy/job_table.h"
#include "heliostat/control/policy/orders.h"
#include "heliostat/signals/signal/freshness.h"

namespace heliostat::policy {

struct ServiceState {
  scenario::Service asked;      // without rates: what is to come is in the outlook
  double requests_per_s = 0.0;  // measured now
  Serving serving;              // as it stands
  friend bool operator==(const ServiceState&, const ServiceState&) = default;
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
  friend bool operator==(const GroupState&, const GroupState&) = default;
};

// What a world can do with jobs and nodes. Policies order nothing else.
struct Capabilities {
  bool suspend = true;      // stop a job that runs, and let it go on later with as many workers
  bool requeue = true;      // stop it and start it again with any number of workers
  bool shrink = true;       // take workers from a job that runs
  bool grow = true;         // give it more
  bool cap_power = true;    // power limits and clocks other than the default
  bool sleep_nodes = true;  // put nodes to sleep and wake them
  bool place = false;       // run a job on the nodes that an order names
  Duration order_delay{0};  // how long an order may be under way before it takes effect

  bool may_stop() const { return suspend || requeue; }
  // Whether a job that has begun may go on with another number of workers.
  bool may_resize() const { return requeue || (shrink && grow); }
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

// Signals from the present slot on, one value per slot: the first is measured, or as fresh as `freshness` says; the
// others are expected.
struct Forecast {
  std::span<const CarbonIntensity> carbon;
  std::span<const Watts> renewable;
  std::span<const double> price_per_kwh;                // empty without prices
  std::vector<std::span<const double>> requests_per_s;  // [service]
  std::vector<const scenario::Job*> jobs;               // known future arrivals by submit time; usually empty
  Instant issued{};                                     // nothing that was measured later is in it
  // Of the present carbon intensity. When it is stale or only what is usual, plans are no better than that; deadlines,
  // latencies and capacity do not depend on it.
  signal::Freshness freshness = signal::Freshness::kMeasured;

  std::size_t slots() const { return carbon.size(); }
};

// Says what is to come. Asked only by policies that look ahead: a forecast may cost time.
class Outlook {
 public:
  virtual ~Outlook() = default;
  // From the slot that holds `now` to the end of the horizon, or as far as the forecaster goes. What it refers to holds
  // as long as the outlook.
  virtual Forecast Ahead() = 0;
  // The present values alone: cheap.
  virtual CarbonIntensity CarbonNow() const = 0;
  virtual Watts RenewableNow() const = 0;
  virtual std::optional<double> PriceNow() const = 0;  // nothing without prices
  // The highest carbon intensity of the last day.
  virtual CarbonIntensity DirtiestOfDay() const = 0;
};

// Later than anything that is planned: the horizon of a world that has none.
inline constexpr Instant kNoHorizon{std::chrono::seconds{253402300799}};  // the year 9999 ends

// What a policy sees: the clock, the cluster, the queue, signals so far and forecasts. Whether the world is simulated
// or real cannot be told from it.
struct Observation {
  Instant now;
  std::size_t slot = 0;     // that holds `now`, counted from site->start
  bool slot_begins = true;  // first call in this slot: signals are new
  // Groups, profiles, slots, PUE. Another object when anything in it has changed.
  std::shared_ptr<const scenario::Site> site;
  Capabilities capabilities;
  Instant horizon = kNoHorizon;  // nothing that happens later counts
  // Jobs that live, and those that have ended since the last call.
  const JobTable& jobs;
  // New to this policy since the last call, in any phase, or released from hold. A policy that has just been made sees
  // every job here, and goes on from that.
  std::span<const JobId> arrived;
  std::span<const JobId> ended;        // over since the last call; the phase says how
  std::span<const JobId> interrupted;  // lost their GPUs since the last call; they wait again
  std::span<const Receipt> receipts;   // for orders of the last call, and news of pending ones
  std::span<const ServiceState> services;
  std::span<const GroupState> groups;
  Grams carbon_so_far;  // emitted since the world began
  Outlook& outlook;
  bool is_first = false;      // nothing was shown to this policy before
  Duration planning_time{0};  // how long a plan that is begun now may take

  // When a plan that is begun now is wanted.
  Instant decide_by() const { return now + planning_time; }
  Interval SlotNow() const { return site->SlotSpan(slot); }
  bool MayStop(const JobState& job) const { return job.asked.preemptible && capabilities.may_stop(); }
};

// Whether an order for the job is under way, by its last receipt.
bool IsPending(const Observation& observation, JobId job);

}  // namespace heliostat::policy
