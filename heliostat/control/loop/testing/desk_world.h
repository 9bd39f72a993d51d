#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "heliostat/control/loop/driver.h"

namespace heliostat::loop::testing {

// A minimal world: every node is always up, jobs run at the speed of their profile, and there are no services. It
// shares no code with the simulator, so a result that holds in both comes from the policy. Also the outlook: the true
// carbon intensities, known ahead. Used from one thread.
class DeskWorld : public World, public MovingOutlook {
 public:
  // Takes the jobs of the scenario, not its services. The scenario must outlive the desk.
  explicit DeskWorld(const scenario::Scenario& scenario)
      : scenario_(scenario), site_(std::make_shared<scenario::Site>(scenario.site())), now_(scenario.start) {
    to_come_.resize(scenario.jobs.size());
    std::iota(to_come_.begin(), to_come_.end(), std::size_t{0});
    std::stable_sort(to_come_.begin(), to_come_.end(), [&](std::size_t a, std::size_t b) {
      return scenario_.jobs[a].submit > scenario_.jobs[b].submit;  // the next one last
    });
    groups_.resize(site_->groups.size());
    Come();
  }

  std::shared_ptr<const scenario::Site> site() const override { return site_; }
  policy::Capabilities capabilities() const override { return can_; }
  Instant horizon() const override { return scenario_.end(); }
  Instant now() const override { return now_; }
  void SetCapabilities(const policy::Capabilities& can) { can_ = can; }

  WorldView Look() override {
    for (const policy::JobId job : told_ended_) jobs_.Erase(job);
    told_arrived_ = std::exchange(arrived_, {});
    told_ended_ = std::exchange(ended_, {});
    Count();
    account::Balance spent;
    spent.it = drawn_;
    return {now_, jobs_, told_arrived_, told_ended_, {}, {}, {}, groups_, spent};
  }

  void Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) override {
    for (const policy::JobOrder& order : decision.jobs) {
      policy::JobState& job = jobs_[order.job];
      const bool moves = order.setting && Workers(job, *order.setting) != Workers(job, job.setting);
      if (job.phase == policy::Phase::kRunning && (!order.setting || moves)) job.phase = policy::Phase::kWaiting;
    }
    for (const policy::JobOrder& order : decision.jobs) receipts.push_back(Carry(order));
  }

  bool Wait(Instant until) override {
    Instant next = std::min(until, site_->SlotSpan(site_->SlotAt(now_)).end);
    if (!to_come_.empty()) next = std::min(next, scenario_.jobs[to_come_.back()].submit);
    for (const auto& [id, job] : jobs_) {
      if (job.phase == policy::Phase::kRunning) next = std::min(next, EndOf(job));
    }
    MoveOn(std::max(next, now_));
    Come();
    return now_ < scenario_.end();
  }

  // By job: when it finished, and how often it was started.
  const std::map<policy::JobId, Instant>& finished() const { return finished_; }
  const std::map<policy::JobId, int>& starts() const { return starts_; }
  const std::map<policy::JobId, std::size_t>& who() const { return who_; }  // index in the scenario
  Joules of_jobs() const { return of_jobs_; }
  Joules of_idle_nodes() const { return of_idle_; }
  Joules drawn() const { return drawn_; }
  int most_gpus_over() const { return most_over_; }  // the most GPUs ever in use beyond those of the group

  void MoveTo(Instant /*now*/, std::size_t slot) override { slot_ = slot; }
  policy::Forecast Ahead() override {
    policy::Forecast forecast;
    forecast.carbon = std::span(scenario_.carbon).subspan(slot_);
    forecast.renewable = std::span(scenario_.renewable).subspan(slot_);
    if (!scenario_.price_per_kwh.empty()) forecast.price_per_kwh = std::span(scenario_.price_per_kwh).subspan(slot_);
    return forecast;
  }
  CarbonIntensity CarbonNow() const override { return scenario_.carbon[slot_]; }
  Watts RenewableNow() const override { return scenario_.renewable[slot_]; }
  std::optional<double> PriceNow() const override { return std::nullopt; }
  CarbonIntensity DirtiestOfDay() const override { return scenario_.carbon[slot_]; }

 private:
  const scenario::TrainingPoint& PointOf(const policy::JobState& job, const policy::RunSetting& setting) const {
    return site_->training.Of(job.asked.model, site_->groups[setting.group].gpu)[setting.point];
  }
  int Workers(const policy::JobState& job, const policy::RunSetting& setting) const {
    return PointOf(job, setting).workers;
  }
  Instant EndOf(const policy::JobState& job) const {
    const double left = std::max(0.0, job.asked.samples - job.samples_done) / job.samples_per_s;
    return std::max(now_, job.since) + Duration{static_cast<std::int64_t>(std::ceil(left - 1e-6))};
  }

  policy::Receipt Carry(const policy::JobOrder& order) {
    policy::JobState& job = jobs_[order.job];
    if (!order.setting) return {order.id, order.job, policy::Receipt::Status::kAccepted};
    const bool starts = job.phase == policy::Phase::kWaiting;
    if (starts && FreeIn(order.setting->group) < Workers(job, *order.setting)) {
      return {order.id, order.job, policy::Receipt::Status::kRefused, "too few GPUs are free"};
    }
    job.setting = *order.setting;
    job.samples_per_s = PointOf(job, job.setting).samples_per_s;
    if (starts) {
      job.phase = policy::Phase::kRunning;
      job.home = job.setting.group;
      job.since = now_ + job.asked.resume;
      ++starts_[order.job];
    }
    return {order.id, order.job, policy::Receipt::Status::kAccepted};
  }

  int FreeIn(std::size_t group) {
    Count();
    return groups_[group].gpus_free();
  }

  void Count() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const scenario::Group& group = site_->groups[g];
      groups_[g] = {group.nodes, 0, 0, 0, 0, group.gpus(), 0};
    }
    for (const auto& [id, job] : jobs_) {
      if (job.phase != policy::Phase::kRunning) continue;
      groups_[job.setting.group].gpus_in_use += Workers(job, job.setting);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const int per_node = site_->groups[g].gpus_per_node;
      groups_[g].nodes_in_use = std::min(groups_[g].up, (groups_[g].gpus_in_use + per_node - 1) / per_node);
      most_over_ = std::max(most_over_, groups_[g].gpus_in_use - groups_[g].gpus_up);
    }
  }

  void MoveOn(Instant next) {
    const Seconds length(next - now_);
    Count();
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const scenario::Group& group = site_->groups[g];
      const Joules idle = (group.node_base * group.nodes + group.gpu_idle * groups_[g].gpus_free()) * length;
      of_idle_ += idle;
      drawn_ += idle;
    }
    std::vector<policy::JobId> done;
    for (const auto& [id, state] : jobs_) {
      if (state.phase != policy::Phase::kRunning) continue;
      policy::JobState& job = jobs_[id];
      const Joules own = PointOf(job, job.setting).power * length;
      of_jobs_ += own;
      drawn_ += own;
      if (next > job.since) {
        job.samples_done += job.samples_per_s * Seconds(next - std::max(job.since, now_)).count();
        job.since = next;
      }
      if (job.samples_done >= job.asked.samples * (1.0 - 1e-9)) done.push_back(id);
    }
    now_ = next;
    for (const policy::JobId id : done) {
      jobs_[id].phase = policy::Phase::kDone;
      ended_.push_back(id);
      finished_[id] = now_;
    }
  }

  void Come() {
    while (!to_come_.empty() && scenario_.jobs[to_come_.back()].submit <= now_) {
      policy::JobState state;
      state.asked = scenario_.jobs[to_come_.back()];
      who_[next_id_] = to_come_.back();
      to_come_.pop_back();
      jobs_.Add(next_id_, std::move(state));
      // Ids of a real scheduler have gaps.
      arrived_.push_back(std::exchange(next_id_, next_id_ + 7));
    }
  }

  const scenario::Scenario& scenario_;
  std::shared_ptr<scenario::Site> site_;
  policy::Capabilities can_;
  Instant now_;
  std::vector<std::size_t> to_come_;
  policy::JobId next_id_ = 1000;
  policy::JobTable jobs_;
  std::vector<policy::JobId> arrived_, ended_, told_arrived_, told_ended_;
  std::vector<policy::GroupState> groups_;
  std::map<policy::JobId, Instant> finished_;
  std::map<policy::JobId, int> starts_;
  std::map<policy::JobId, std::size_t> who_;
  Joules of_jobs_;
  Joules of_idle_;
  Joules drawn_;
  int most_over_ = 0;
  std::size_t slot_ = 0;
};

}  // namespace heliostat::loop::testing
