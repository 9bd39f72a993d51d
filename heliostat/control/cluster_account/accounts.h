#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/json.h"
#include "heliostat/control/cluster_account/usage.h"
#include "heliostat/model/account/energy_carbon_cost.h"

namespace heliostat::cluster_account {

// The supply of a slot that has ended, or of the present one as far as it is known.
using SupplyOf = std::function<account::Supply(const Interval& slot)>;

// Energy, carbon and cost of a cluster and of each of its jobs since the accounts began. Energy is collected per slot
// of time and priced when the slot is over: on-site energy is shared by all that ran in the slot, in proportion to
// their energy. So jobs and `unused` sum to the cluster in energy, carbon and cost. Not thread-safe.
class Accounts {
 public:
  // The accounts begin at `begin`. Slots are `step` long and begin at whole multiples of it since 1970.
  Accounts(Instant begin, Duration step) : step_(step), begin_(begin), until_(begin) {}

  // Adds what `nodes` and `jobs` used from until() to `now`. Parts of jobs before until() have been counted, or are
  // older than the accounts, and do not count again. Those of a late job have not been counted: they do, at the prices
  // of their time and without on-site energy, which others have used. Returns the energy that each node has used.
  std::vector<Joules> Advance(Instant now, std::span<const NodeSpan> nodes, std::span<const JobSpan> jobs,
                              const SupplyOf& supply_of);

  Instant begin() const { return begin_; }
  Instant until() const { return until_; }
  // The slot of until().
  Interval OpenSlot() const { return SlotOf(until_); }
  // Of all slots that have ended.
  const account::Balance& closed() const { return closed_; }
  // The part of closed() that no job pays for.
  const account::Balance& unused() const { return unused_; }
  // Of the present slot so far. `supply` is that of the whole slot.
  account::Balance Open(const account::Supply& supply) const;
  // Of one job, with its part of the present slot. Zeros for a job that has used nothing.
  account::Balance Of(const cluster::JobKey& job, const account::Supply& supply) const;
  // Of all jobs that are remembered, likewise, and of no job.
  std::map<cluster::JobKey, account::Balance> OfAll(const account::Supply& supply) const;
  account::Balance Unused(const account::Supply& supply) const;
  // Drops a job that has ended; it stays in the sums as `forgotten()`. Call only when its last slot is over.
  void Forget(const cluster::JobKey& job);
  const account::Balance& forgotten() const { return forgotten_; }
  // Whether the present slot has energy of the job.
  bool IsOpen(const cluster::JobKey& job) const { return open_jobs_.contains(job); }

  // The accounts, to go on with after a restart.
  io::Json ToJson() const;
  static Result<Accounts> FromJson(const io::Json& json);

 private:
  Interval SlotOf(Instant time) const;
  void CloseSlot(const account::Supply& supply);
  void AddLate(const JobSpan& job, std::span<const NodeSpan> nodes, const SupplyOf& supply_of,
               std::vector<Joules>& of_nodes);

  Duration step_;
  Instant begin_;
  Instant until_;
  Joules open_unused_;
  std::map<cluster::JobKey, Joules> open_jobs_;
  account::Balance closed_;
  account::Balance unused_;
  account::Balance forgotten_;
  std::map<cluster::JobKey, account::Balance> jobs_;
};

// A share of a balance, from 0 to 1.
account::Balance PartOf(const account::Balance& balance, double share);
account::Balance Sum(account::Balance a, const account::Balance& b);
account::Balance Difference(const account::Balance& a, const account::Balance& b);

io::Json ToJson(const account::Balance& balance);
Result<account::Balance> BalanceFromJson(const io::Json& json);
// "17_3@1795020002": number, element, and submit time in seconds since 1970.
std::string TextOf(const cluster::JobKey& key);
std::optional<cluster::JobKey> KeyOf(std::string_view text);

}  // namespace heliostat::cluster_account
