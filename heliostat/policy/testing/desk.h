#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/policy/policy.h"

namespace heliostat::policy::testing {

// A tiny world for one policy: two groups of two nodes with four GPUs, one model that runs with 1, 2 or 4 workers at
// three limits, hours as slots. Orders are carried out at once; nothing fails, nothing ends by itself.
class Desk : public Outlook {
 public:
  explicit Desk(std::vector<double> carbon = std::vector<double>(48, 300.0), std::vector<double> price = {}) {
    site_->name = "desk";
    site_->start = Instant{std::chrono::hours{24 * 365 * 50}};
    site_->step = std::chrono::hours{1};
    slots_ = carbon.size();
    for (const double g : carbon) carbon_.push_back(GramsPerKwh(g));
    renewable_.assign(carbon.size(), Watts{});
    price_ = std::move(price);
    AddGroup("slow", "S", 1.0);
    AddGroup("fast", "F", 2.0);
    now_ = site_->start;
  }

  // A job that takes `hours` on the slow group with as many workers as it may have, at the default limit.
  JobId Submit(double hours, std::optional<double> due_h, int min_workers = 1, int max_workers = 1,
               bool preemptible = true) {
    JobState state;
    state.asked.id = "j" + std::to_string(next_id_);
    state.asked.model = "m";
    state.asked.submit = now_;
    if (due_h) state.asked.deadline = now_ + Duration{static_cast<std::int64_t>(*due_h * 3600.0)};
    state.asked.samples = hours * 3600.0 * Speed(1.0, max_workers, 300.0);
    state.asked.min_workers = min_workers;
    state.asked.max_workers = max_workers;
    state.asked.preemptible = preemptible;
    const JobId id = next_id_++;
    jobs_.Add(id, std::move(state));
    arrived_.push_back(id);
    return id;
  }

  const Decision& Ask(Policy& policy) {
    for (const JobId job : told_ended_) jobs_.Erase(job);
    told_ended_ = std::exchange(ended_, {});
    const std::vector<JobId> arrived = std::exchange(arrived_, {});
    const std::size_t slot = site_->SlotAt(now_);
    decision_.Clear();
    Recount();
    const Observation observation{now_,    slot,    site_->SlotSpan(slot).begin == now_,
                                  site_,   can_,    site_->SlotSpan(slots_).begin,
                                  jobs_,   arrived, told_ended_,
                                  {},      {},      services_,
                                  groups_, Grams{}, *this};
    policy.Decide(observation, decision_);
    for (const JobOrder& order : decision_.jobs) {
      JobState& job = jobs_[order.job];
      job.phase = order.setting ? Phase::kRunning : Phase::kWaiting;
      if (!order.setting) continue;
      job.setting = *order.setting;
      job.home = order.setting->group;
      job.samples_per_s = 0.0;  // time stands still for jobs here
    }
    for (std::size_t g = 0; g < decision_.nodes_on.size(); ++g) nodes_on_[g] = decision_.nodes_on[g];
    return decision_;
  }

  void MoveTo(double hours) { now_ = site_->start + Duration{static_cast<std::int64_t>(hours * 3600.0)}; }
  void End(JobId job) {
    jobs_[job].phase = Phase::kDone;
    ended_.push_back(job);
  }
  void Progress(JobId job, double share) { jobs_[job].samples_done = share * jobs_[job].asked.samples; }

  const JobState& job(JobId id) const { return jobs_[id]; }
  bool Runs(JobId id) const { return jobs_[id].phase == Phase::kRunning; }
  const scenario::TrainingPoint& PointOf(JobId id) const {
    return site_->training.Of("m", site_->groups[jobs_[id].setting.group].gpu)[jobs_[id].setting.point];
  }
  const scenario::Site& site() const { return *site_; }
  Capabilities& can() { return can_; }
  Instant now() const { return now_; }

  Forecast Ahead() override {
    const std::size_t slot = site_->SlotAt(now_);
    Forecast forecast;
    forecast.carbon = std::span<const CarbonIntensity>(carbon_).subspan(slot);
    forecast.renewable = std::span<const Watts>(renewable_).subspan(slot);
    if (!price_.empty()) forecast.price_per_kwh = std::span<const double>(price_).subspan(slot);
    return forecast;
  }
  CarbonIntensity CarbonNow() const override { return carbon_[site_->SlotAt(now_)]; }
  Watts RenewableNow() const override { return renewable_[site_->SlotAt(now_)]; }
  std::optional<double> PriceNow() const override { return std::nullopt; }
  CarbonIntensity DirtiestOfDay() const override { return GramsPerKwh(600.0); }

 private:
  // Samples a second: workers help less and less, and the last watts least.
  static double Speed(double gpu, int workers, double limit_w) {
    const double scale = workers == 1 ? 1.0 : workers == 2 ? 1.9 : 3.4;
    return 100.0 * gpu * scale * (limit_w == 300.0 ? 1.0 : limit_w == 200.0 ? 0.9 : 0.5);
  }

  void AddGroup(const std::string& name, const std::string& gpu, double speed) {
    scenario::Group group;
    group.name = name;
    group.gpu = gpu;
    group.nodes = 2;
    group.gpus_per_node = 4;
    group.gpu_idle = Watts{20};
    group.node_base = Watts{200};
    group.node_sleep = Watts{10};
    group.wake_time = std::chrono::minutes{5};
    group.wake_energy = Joules{36000};
    site_->groups.push_back(group);
    for (const int workers : {1, 2, 4}) {
      for (const double limit : {100.0, 200.0, 300.0}) {
        scenario::TrainingPoint point;
        point.knob.power_limit_w = limit;
        point.workers = workers;
        point.samples_per_s = Speed(speed, workers, limit);
        point.power = Watts{limit * workers * (speed > 1.5 ? 1.2 : 1.0)};
        site_->training.Add("m", gpu, point);
      }
    }
    nodes_on_.push_back(2);
  }

  void Recount() {
    groups_.assign(site_->groups.size(), {});
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].up = nodes_on_[g];
      groups_[g].asleep = 2 - nodes_on_[g];
      groups_[g].gpus_up = nodes_on_[g] * 4;
    }
    for (const auto& [id, job] : jobs_) {
      if (job.phase != Phase::kRunning) continue;
      GroupState& group = groups_[job.setting.group];
      group.gpus_in_use += PointOf(id).workers;
      group.nodes_in_use = (group.gpus_in_use + 3) / 4;
    }
  }

  std::shared_ptr<scenario::Site> site_ = std::make_shared<scenario::Site>();
  Capabilities can_;
  std::size_t slots_ = 0;
  std::vector<CarbonIntensity> carbon_;
  std::vector<Watts> renewable_;
  std::vector<double> price_;
  Instant now_;
  JobTable jobs_;
  JobId next_id_ = 0;
  std::vector<ServiceState> services_;
  std::vector<GroupState> groups_;
  std::vector<int> nodes_on_;
  std::vector<JobId> arrived_;
  std::vector<JobId> ended_;
  std::vector<JobId> told_ended_;
  Decision decision_;
};

inline std::unique_ptr<Policy> Named(const std::string& name, const Options& options = {}) {
  return *Make(name, options);
}

}  // namespace heliostat::policy::testing
