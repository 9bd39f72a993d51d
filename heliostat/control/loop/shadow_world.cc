#include "heliostat/control/loop/shadow_world.h"

#include <algorithm>
#include <cmath>

namespace heliostat::loop {

using policy::JobId;
using policy::JobState;
using policy::Phase;
using policy::Receipt;

policy::Capabilities ShadowWorld::capabilities() const {
  policy::Capabilities can = real_.capabilities();
  can.place = false;
  return can;
}

WorldView ShadowWorld::Look() {
  const WorldView view = real_.Look();
  was_ = view.spent;
  real_jobs_ = &view.jobs;
  for (const JobId job : told_ended_) jobs_.Erase(job);
  Follow(view);
  told_ended_ = std::exchange(ended_, {});
  CountGroups();
  return {view.now, jobs_, arrived_, told_ended_, {}, {}, services_, group_states_, balance_};
}

// Copies from the real world: nodes that work, jobs that arrive and end, rates of requests.
void ShadowWorld::Follow(const WorldView& view) {
  const auto site = real_.site();
  const policy::Capabilities can = capabilities();
  book_.Follow(site, can);
  groups_.resize(site->groups.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    groups_[g].usable = view.groups[g].nodes();
    if (is_first_ || !can.sleep_nodes) groups_[g].up = view.groups[g].up + view.groups[g].waking;
    groups_[g].up = std::min(groups_[g].up, groups_[g].usable);
  }
  services_.resize(view.services.size());
  for (std::size_t s = 0; s < services_.size(); ++s) {
    if (is_first_) services_[s] = view.services[s];
    services_[s].requests_per_s = view.services[s].requests_per_s;
  }
  arrived_.clear();
  if (is_first_) {
    drawn_until_ = view.now;
    slot_ = site->SlotAt(view.now);
    for (const auto& [id, job] : view.jobs) Adopt(id, job);
  } else {
    for (const JobId id : view.arrived) Adopt(id, view.jobs[id]);
  }
  for (const JobId id : view.ended) LearnEnd(id, view.jobs[id]);
  is_first_ = false;
}

void ShadowWorld::Adopt(JobId id, const JobState& real) {
  if (jobs_.Contains(id) || IsOver(real.phase)) return;
  JobState job = real;
  const bool goes_on = is_first_ && HoldsGpus(real.phase);
  job.phase = goes_on ? Phase::kRunning : real.phase == Phase::kHeld ? Phase::kHeld : Phase::kWaiting;
  if (!goes_on) job.nodes.clear();
  // The twin has not begun what the real world has.
  if (!is_first_) job.samples_done = 0.0;
  jobs_.Add(id, std::move(job));
  arrived_.push_back(id);
}

void ShadowWorld::LearnEnd(JobId id, const JobState& real) {
  const JobState* job = jobs_.Find(id);
  if (job == nullptr || IsOver(job->phase)) return;
  if (real.phase != Phase::kDone) {
    Finish(id, real.phase);
    return;
  }
  true_samples_[id] = real.samples_done > 0.0 ? real.samples_done : real.asked.samples;
  if (job->samples_done >= true_samples_[id]) Finish(id, Phase::kDone);
}

void ShadowWorld::Finish(JobId id, Phase how) {
  JobState& job = jobs_[id];
  job.phase = how;
  ended_.push_back(id);
  true_samples_.erase(id);
  if (how != Phase::kDone) return;
  ++done_;
  late_ += job.asked.deadline && now() > *job.asked.deadline ? 1 : 0;
}

const scenario::TrainingPoint& ShadowWorld::PointOf(const JobState& job, const policy::RunSetting& setting) {
  return book_.Of(job.asked).At(setting);
}

std::vector<int> ShadowWorld::BusyGpus() {
  std::vector<int> busy(groups_.size(), 0);
  for (const auto& [id, job] : jobs_) {
    if (job.phase == Phase::kRunning) busy[job.setting.group] += PointOf(job).workers;
  }
  for (const policy::ServiceState& service : services_) busy[service.serving.group] += service.serving.replicas;
  return busy;
}

void ShadowWorld::CountGroups() {
  const auto site = real_.site();
  const std::vector<int> busy = BusyGpus();
  group_states_.resize(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const int per_node = site->groups[g].gpus_per_node;
    const auto waking = static_cast<int>(group.waking.size());
    const int in_use = std::min(group.up, (busy[g] + per_node - 1) / per_node);
    group_states_[g] = {group.up,
                        waking,
                        group.usable - group.up - waking,
                        site->groups[g].nodes - group.usable,
                        in_use,
                        group.up * per_node,
                        busy[g]};
  }
}

bool ShadowWorld::IsStop(const policy::JobOrder& order) {
  const JobState& job = jobs_[order.job];
  if (job.phase != Phase::kRunning) return false;
  return !order.setting || PointOf(job, *order.setting).workers != PointOf(job).workers;
}

void ShadowWorld::Apply(const policy::Decision& decision, std::vector<Receipt>& receipts) {
  const auto site = real_.site();
  supply_ = {signals_.CarbonNow(), signals_.RenewableNow() * Seconds(site->step), site->renewable_carbon,
             signals_.PriceNow().value_or(0.0), site->pue};
  for (const policy::JobOrder& order : decision.jobs) {
    if (IsStop(order)) jobs_[order.job].phase = Phase::kWaiting;
  }
  for (const policy::ServiceOrder& order : decision.services) {
    Serve(order);
    receipts.push_back({order.id, {}, Receipt::Status::kAccepted});
  }
  for (std::size_t g = 0; g < decision.nodes_on.size(); ++g) SetNodesOn(g, decision.nodes_on[g]);
  for (const policy::JobOrder& order : decision.jobs) receipts.push_back(Carry(order));
}

Receipt ShadowWorld::Carry(const policy::JobOrder& order) {
  const Receipt accepted{order.id, order.job, Receipt::Status::kAccepted};
  if (!order.setting) return accepted;
  JobState& job = jobs_[order.job];
  const scenario::TrainingPoint& point = PointOf(job, *order.setting);
  if (job.phase != Phase::kRunning) {
    const int free = groups_[order.setting->group].up * real_.site()->groups[order.setting->group].gpus_per_node -
                     BusyGpus()[order.setting->group];
    if (free < point.workers) return {order.id, order.job, Receipt::Status::kRefused, "too few GPUs are free"};
    job.phase = Phase::kRunning;
    job.home = order.setting->group;
    job.since = now() + job.asked.resume;
  }
  job.setting = *order.setting;
  job.samples_per_s = point.samples_per_s;
  return accepted;
}

// Where too few GPUs are free, the service gets as many replicas as fit.
void ShadowWorld::Serve(const policy::ServiceOrder& order) {
  policy::Serving& serving = services_[order.service].serving;
  serving = order.serving;
  serving.replicas = 0;
  const int gpus = groups_[serving.group].up * real_.site()->groups[serving.group].gpus_per_node;
  serving.replicas = std::clamp(gpus - BusyGpus()[serving.group], 0, order.serving.replicas);
}

void ShadowWorld::SetNodesOn(std::size_t g, int wanted) {
  Group& group = groups_[g];
  const int per_node = real_.site()->groups[g].gpus_per_node;
  const int in_use = (BusyGpus()[g] + per_node - 1) / per_node;
  wanted = std::clamp(wanted, in_use, group.usable);
  while (group.up + static_cast<int>(group.waking.size()) > wanted && !group.waking.empty()) group.waking.pop_back();
  group.up = std::min(group.up, std::max(wanted, in_use));
  while (group.up + static_cast<int>(group.waking.size()) < wanted) {
    group.waking.push_back(now() + real_.site()->groups[g].wake_time);
  }
}

// The number of samples of the job, as known at `when`. Nothing while it runs in the real world beyond its user's
// estimate.
std::optional<double> ShadowWorld::GoalOf(JobId id, const JobState& job, Instant when) const {
  const auto known = true_samples_.find(id);
  if (known != true_samples_.end()) return known->second;
  // After a restart, until the first look, any job may still run.
  if (real_jobs_ == nullptr) return std::nullopt;
  const JobState* real = real_jobs_->Find(id);
  if (real == nullptr || real->phase != Phase::kRunning) return job.asked.samples;
  const double done = real->samples_done + real->samples_per_s * std::max(0.0, Seconds(when - real->since).count());
  if (done >= job.asked.samples * (1.0 - 1e-6)) return std::nullopt;
  return job.asked.samples;
}

std::optional<Instant> ShadowWorld::EndOf(JobId id, const JobState& job) const {
  const auto goal = GoalOf(id, job, now());
  if (!goal) return std::nullopt;
  const double left = std::max(0.0, *goal - job.samples_done) / job.samples_per_s;
  const Instant from = std::max(now(), job.since);
  if (left > Seconds(policy::kNoHorizon - from).count()) return std::nullopt;
  return from + Duration{static_cast<std::int64_t>(std::ceil(left - 1e-6))};
}

Instant ShadowWorld::NextEvent() {
  Instant next = policy::kNoHorizon;
  for (const Group& group : groups_) {
    if (!group.waking.empty()) next = std::min(next, group.waking.front());
  }
  for (const auto& [id, job] : jobs_) {
    if (job.phase != Phase::kRunning) continue;
    if (const auto end = EndOf(id, job)) next = std::min(next, std::max(*end, now() + Duration{1}));
  }
  return next;
}

bool ShadowWorld::Wait(Instant until) {
  const bool goes_on = real_.Wait(std::max(real_.now(), std::min(until, NextEvent())));
  AdvanceTo(now());
  if (!goes_on) CloseSlot();
  return goes_on;
}

// Advances in steps that do not cross the end of a slot.
void ShadowWorld::AdvanceTo(Instant now) {
  const auto site = real_.site();
  while (drawn_until_ < now) {
    const Instant slot_end = site->SlotSpan(slot_).end;
    const Instant until = std::min(now, slot_end);
    Draw(Seconds(until - drawn_until_));
    Progress(until);
    drawn_until_ = until;
    if (until == slot_end) CloseSlot();
  }
}

void ShadowWorld::Draw(Seconds length) {
  const auto site = real_.site();
  const std::vector<int> busy = BusyGpus();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    group.use.nodes_on += length * group.up;
    // The energy of a wake-up is added when the node is up.
    group.use.nodes_off += length * (site->groups[g].nodes - group.up - static_cast<int>(group.waking.size()));
    group.use.busy_gpus += length * busy[g];
  }
  for (const auto& [id, job] : jobs_) {
    if (job.phase == Phase::kRunning) groups_[job.setting.group].use.running += PointOf(job).power * length;
  }
  for (const policy::ServiceState& service : services_) {
    const policy::Serving& serving = service.serving;
    if (serving.replicas == 0) continue;
    const scenario::Group& group = site->groups[serving.group];
    const scenario::InferencePoint& point = site->inference.Of(service.asked.model, group.gpu)[serving.point];
    const double utilisation = std::min(1.0, service.requests_per_s / (serving.replicas * point.requests_per_s));
    groups_[serving.group].use.running +=
        account::ServingPower(group.gpu_idle, point.power, utilisation) * serving.replicas * length;
  }
}

void ShadowWorld::Progress(Instant until) {
  std::vector<JobId> done;
  for (const auto& [id, state] : jobs_) {
    if (state.phase != Phase::kRunning || until <= state.since) continue;
    JobState& job = jobs_[id];
    job.samples_done += job.samples_per_s * Seconds(until - job.since).count();
    job.since = until;
    const auto goal = GoalOf(id, job, until);
    if (goal && job.samples_done >= *goal * (1.0 - 1e-9)) done.push_back(id);
  }
  for (const JobId id : done) Finish(id, Phase::kDone);
  for (Group& group : groups_) {
    while (!group.waking.empty() && group.waking.front() <= until) {
      group.waking.erase(group.waking.begin());
      group.up = std::min(group.up + 1, group.usable);
      ++group.use.wake_ups;
    }
  }
}

void ShadowWorld::CloseSlot() {
  const auto site = real_.site();
  const account::Supply supply = supply_of_ ? supply_of_(site->SlotSpan(slot_)) : supply_;
  balance_ += account::Settle(OpenEnergy(), supply);
  for (Group& group : groups_) group.use = {};
  ++slot_;
}

Joules ShadowWorld::OpenEnergy() const {
  const auto site = real_.site();
  Joules it;
  for (std::size_t g = 0; g < groups_.size(); ++g) it += scenario::ItEnergy(site->groups[g], groups_[g].use);
  return it;
}

account::Balance ShadowWorld::Open(const account::Supply& supply) const {
  const Interval slot = real_.site()->SlotSpan(slot_);
  account::Supply part = supply;
  part.renewable = supply.renewable * (Seconds(drawn_until_ - slot.begin) / Seconds(slot.length()));
  return account::Settle(OpenEnergy(), part);
}

std::vector<ShadowWorld::Arrears> ShadowWorld::JobsInArrears() const {
  std::vector<Arrears> behind;
  for (const auto& [id, job] : jobs_) {
    if (IsOver(job.phase)) continue;
    const policy::JobState* const real = real_jobs_ == nullptr ? nullptr : real_jobs_->Find(id);
    const auto known = true_samples_.find(id);
    double done = real == nullptr ? job.samples_done : real->samples_done;
    if (known != true_samples_.end()) done = known->second;
    const double left = done - job.samples_done;
    if (left <= 0.0) continue;
    const auto site = real_.site();
    const std::size_t group = job.home.value_or(job.setting.group);
    const scenario::TrainingPoint& point =
        site->training.Of(job.asked.model, site->groups[group].gpu)[job.setting.point];
    behind.push_back({id, group, point.workers, Seconds{left / point.samples_per_s}});
  }
  return behind;
}

ShadowWorld::Totals ShadowWorld::totals() const {
  Totals totals{was_, balance_, done_, late_};
  for (const auto& [id, job] : jobs_) {
    totals.jobs_late += !IsOver(job.phase) && job.asked.deadline && now() > *job.asked.deadline ? 1 : 0;
  }
  return totals;
}

}  // namespace heliostat::loop
