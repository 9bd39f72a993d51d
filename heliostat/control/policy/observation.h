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

// A service as a policy sees it.
struct ServiceState {
  scenario::Service asked;      // without rates: expected rates are in the outlook
  double requests_per_s = 0.0;  // measured in the present slot
  Serving serving;              // in effect now
  friend bool operator==(const ServiceState&, const ServiceState&) = default;
};

enum class NodeState { kUp, kWaking, kAsleep, kFailed };

// The present state of a group. Each node is up, waking, asleep or failed.
struct GroupState {
  int up = 0;
  int waking = 0;
  int asleep = 0;
  int failed = 0;
  int nodes_in_use = 0;  // up, with a job or a replica
  int gpus_up = 0;       // of nodes that are up, without failed GPUs
  int gpus_in_use = 0;
  std::vector<NodeState> each{};  // [node], in a world that places jobs on named nodes; else empty

  int gpus_free() const { return gpus_up - gpus_in_use; }
  int nodes() const { return up + waking + asleep; }  // that have not failed
  friend bool operator==(const GroupState&, const GroupState&) = default;
};

// What a world can do with jobs and nodes. Policies give no other orders.
struct Capabilities {
  bool suspend = true;      // stop a running job, and continue it later with as many workers
  bool requeue = true;      // stop it and start it again with any number of workers
  bool shrink = true;       // take workers from a running job
  bool grow = true;         // add workers to a running job
  bool cap_power = true;    // power limits and clocks other than the default
  bool sleep_nodes = true;  // put nodes to sleep and wake them
  bool place = false;       // run a job on the nodes that an order names
  Duration order_delay{0};  // the longest time from an order to its effect

  bool may_stop() const { return suspend || requeue; }
  // Whether a job that has begun can continue with another number of workers.
  bool may_resize() const { return requeue || (shrink && grow); }
  friend bool operator==(const Capabilities&, const Capabilities&) = default;
};

// Signals from the present slot on, one value per slot. The first carbon intensity is as good as `freshness` states;
// the other slots are expected values. Does not own its values.
struct Forecast {
  std::span<const CarbonIntensity> carbon;
  std::span<const Watts> renewable;
  std::span<const double> price_per_kwh;                // empty without prices
  std::vector<std::span<const double>> requests_per_s;  // [service]
  std::vector<const scenario::Job*> jobs;               // known future arrivals by submit time; mostly empty
  Instant issued{};                                     // it uses no measurement later than this
  // Of the present carbon intensity. With a stale value or climatology, plans save less carbon; deadlines, latencies
  // and capacity do not depend on it.
  signal::Freshness freshness = signal::Freshness::kMeasured;
  // Nothing can happen that it does not show: true signals, all jobs and their lengths, no failures.
  bool is_certain = false;

  std::size_t slots() const { return carbon.size(); }
};

// What a policy can ask about the future. Only policies that look ahead call Ahead(), because a forecast may take time.
// Not thread-safe.
class Outlook {
 public:
  virtual ~Outlook() = default;
  // From the present slot to the end of the horizon, or as far as the forecaster goes. The spans are valid during one
  // call of Policy::Decide().
  virtual Forecast Ahead() = 0;
  // The present values, without a forecast.
  virtual CarbonIntensity CarbonNow() const = 0;
  virtual Watts RenewableNow() const = 0;              // of the site
  virtual std::optional<double> PriceNow() const = 0;  // nothing without prices
  // The highest carbon intensity of the last day.
  virtual CarbonIntensity DirtiestOfDay() const = 0;
};

// The horizon of a world without an end.
inline constexpr Instant kNoHorizon{std::chrono::seconds{253402300799}};  // the year 9999 ends

// All that a policy sees at one moment: the clock, the cluster, the queue, signals and forecasts. It is the same for a
// simulated and a real world. Holds references: valid during the call only.
struct Observation {
  Instant now;
  std::size_t slot = 0;     // the slot of `now`, counted from site->start
  bool slot_begins = true;  // true on the first call in a slot: signals are new
  // Groups, profiles, slots, PUE. A new object whenever any of it changes.
  std::shared_ptr<const scenario::Site> site;
  Capabilities capabilities;
  Instant horizon = kNoHorizon;  // later events do not count
  // Jobs that are not over, and those that have ended since the last call.
  const JobTable& jobs;
  // Jobs that are new to this policy since the last call, in any phase, or released from hold. A new policy object sees
  // every job here.
  std::span<const JobId> arrived;
  std::span<const JobId> ended;        // over since the last call; see their phase
  std::span<const JobId> interrupted;  // lost their GPUs since the last call, and wait again
  std::span<const Receipt> receipts;   // for orders of the last call and for pending ones
  std::span<const ServiceState> services;
  std::span<const GroupState> groups;
  Grams carbon_so_far;  // emitted since the world began
  Outlook& outlook;
  bool is_first = false;      // the first call of this policy
  Duration planning_time{0};  // how long a plan may take

  // When a plan that is begun now is due.
  Instant decide_by() const { return now + planning_time; }
  Interval SlotNow() const { return site->SlotSpan(slot); }
  bool MayStop(const JobState& job) const { return job.asked.preemptible && capabilities.may_stop(); }
};

// Whether the last receipt for the job is pending.
bool IsPending(const Observation& observation, JobId job);

}  // namespace heliostat::policy
