#include "heliostat/control/cluster_account/accounts.h"

#include <algorithm>
#include <utility>

namespace heliostat::cluster_account {

using account::Balance;
using cluster::JobKey;

Balance PartOf(const Balance& balance, double share) {
  return {balance.it * share,     balance.facility * share, balance.grid * share, balance.renewable_used * share,
          balance.carbon * share, balance.cost * share};
}

Balance Sum(Balance a, const Balance& b) {
  a += b;
  return a;
}

Balance Difference(const Balance& a, const Balance& b) { return Sum(a, PartOf(b, -1.0)); }

Interval Accounts::SlotOf(Instant time) const {
  const Instant begin{step_ * (time.time_since_epoch() / step_)};
  return {begin, begin + step_};
}

std::vector<Joules> Accounts::Advance(Instant now, std::span<const NodeSpan> nodes, std::span<const JobSpan> jobs,
                                      const SupplyOf& supply_of) {
  std::vector<Joules> of_nodes(nodes.size());
  for (const JobSpan& job : jobs) {
    if (job.is_late && job.span.begin < until_) AddLate(job, nodes, supply_of, of_nodes);
  }
  while (until_ < now) {
    const Interval slot = OpenSlot();
    const Interval part{until_, std::min(now, slot.end)};
    const Usage usage = Measure(part, nodes, jobs);
    for (std::size_t n = 0; n < nodes.size(); ++n) of_nodes[n] += usage.of_nodes[n];
    open_unused_ += usage.unused;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (usage.of_jobs[j].value != 0.0) open_jobs_[jobs[j].key] += usage.of_jobs[j];
    }
    until_ = part.end;
    if (until_ == slot.end) CloseSlot(supply_of(slot));
  }
  return of_nodes;
}

namespace {

Joules TotalOf(const std::map<JobKey, Joules>& jobs, Joules unused) {
  Joules it = unused;
  for (const auto& [key, energy] : jobs) it += energy;
  return it;
}

// What one joule of IT energy stands for.
Balance PerJoule(Joules it, const account::Supply& supply) {
  return it.value > 0.0 ? PartOf(account::Settle(it, supply), 1.0 / it.value) : Balance{};
}

}  // namespace

void Accounts::AddLate(const JobSpan& job, std::span<const NodeSpan> nodes, const SupplyOf& supply_of,
                       std::vector<Joules>& of_nodes) {
  // Its nodes were on: it has run there.
  std::vector<NodeSpan> on(nodes.begin(), nodes.end());
  for (const GpusOnNode& part : job.on) on[part.node].is_off = false;
  for (const GpusOnNode& part : job.on) on[part.node].turns.reset();
  for (Instant from = std::max(job.span.begin, begin_); from < std::min(job.span.end, until_);) {
    const Interval slot = SlotOf(from);
    const Interval part{from, std::min({job.span.end, until_, slot.end})};
    const Usage without = Measure(part, on, {});
    const Usage with = Measure(part, on, {&job, 1});
    const Joules moved = without.unused - with.unused;
    for (std::size_t n = 0; n < on.size(); ++n) of_nodes[n] += with.of_nodes[n] - without.of_nodes[n];
    if (slot.begin == OpenSlot().begin) {
      open_jobs_[job.key] += with.of_jobs[0];
      open_unused_ -= moved;
    } else {
      account::Supply supply = supply_of(slot);
      supply.renewable = {};
      jobs_[job.key] += account::Settle(with.of_jobs[0], supply);
      unused_ = Difference(unused_, account::Settle(moved, supply));
      closed_ += account::Settle(with.of_jobs[0] - moved, supply);
    }
    from = part.end;
  }
}

void Accounts::CloseSlot(const account::Supply& supply) {
  const Joules it = TotalOf(open_jobs_, open_unused_);
  const Balance per_joule = PerJoule(it, supply);
  closed_ += PartOf(per_joule, it.value);
  unused_ += PartOf(per_joule, open_unused_.value);
  for (const auto& [key, energy] : open_jobs_) jobs_[key] += PartOf(per_joule, energy.value);
  open_jobs_.clear();
  open_unused_ = {};
}

// The on-site energy of the slot so far, as if it came evenly.
static account::Supply SoFar(account::Supply supply, const Interval& slot, Instant until) {
  supply.renewable = supply.renewable * (Seconds(until - slot.begin) / Seconds(slot.length()));
  return supply;
}

Balance Accounts::Open(const account::Supply& supply) const {
  return account::Settle(TotalOf(open_jobs_, open_unused_), SoFar(supply, OpenSlot(), until_));
}

Balance Accounts::Of(const JobKey& job, const account::Supply& supply) const {
  const auto found = jobs_.find(job);
  const Balance before = found == jobs_.end() ? Balance{} : found->second;
  const auto open = open_jobs_.find(job);
  if (open == open_jobs_.end()) return before;
  const Balance per_joule = PerJoule(TotalOf(open_jobs_, open_unused_), SoFar(supply, OpenSlot(), until_));
  return Sum(before, PartOf(per_joule, open->second.value));
}

std::map<JobKey, Balance> Accounts::OfAll(const account::Supply& supply) const {
  std::map<JobKey, Balance> all = jobs_;
  const Balance per_joule = PerJoule(TotalOf(open_jobs_, open_unused_), SoFar(supply, OpenSlot(), until_));
  for (const auto& [key, energy] : open_jobs_) all[key] += PartOf(per_joule, energy.value);
  return all;
}

Balance Accounts::Unused(const account::Supply& supply) const {
  const Balance per_joule = PerJoule(TotalOf(open_jobs_, open_unused_), SoFar(supply, OpenSlot(), until_));
  return Sum(unused_, PartOf(per_joule, open_unused_.value));
}

void Accounts::Forget(const JobKey& job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return;
  forgotten_ += found->second;
  jobs_.erase(found);
}

}  // namespace heliostat::cluster_account
