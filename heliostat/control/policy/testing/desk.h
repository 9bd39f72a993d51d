#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "heliostat/control/policy/policy.h"

namespace heliostat::policy::testing {

// Some of the points that the desk's model runs at, in every group.
inline constexpr std::size_t kOneAt200W = 1;
inline constexpr std::size_t kOneAt300W = 2;
inline constexpr std::size_t kFourAt300W = 8;

// A tiny world for one policy: two groups of two nodes with four GPUs each, one model that runs with 1, 2 or 4 workers
// at three limits, and slots of one hour. Orders take effect at once unless a test refuses or delays them. Nothing
// fails or ends unless a test calls for it.
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

  // Adds a job that takes `hours` on the slow group with the most workers at the default limit.
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

  // Adds a job without a model that takes `hours` with exactly `workers`.
  JobId SubmitUnmeasured(double hours, std::optional<double> due_h, int workers) {
    const JobId id = Submit(hours, due_h, workers, workers);
    jobs_[id].asked.model.clear();
    jobs_[id].asked.samples = hours * 3600.0;
    return id;
  }

  // Adds a service; one replica can serve up to 20 requests per second. Call before the first Ask().
  void AddService(double requests_per_s, int max_replicas = 4) {
    ServiceState state;
    state.asked.id = "s" + std::to_string(services_.size());
    state.asked.model = "s";
    state.asked.latency_slo = Seconds{2.0};
    state.asked.max_replicas = max_replicas;
    state.requests_per_s = requests_per_s;
    if (services_.empty()) {
      for (const scenario::Group& group : site_->groups) {
        for (const double limit : {150.0, 300.0}) {
          const double speed = limit == 300.0 ? 1.0 : 0.8;
          site_->inference.Add("s", group.gpu, {{limit, {}}, 1, Seconds{0.05 / speed}, 20.0 * speed, Watts{limit}});
        }
      }
    }
    services_.push_back(std::move(state));
    expected_rates_.emplace_back(slots_, requests_per_s);
  }
  // Sets the present rate of a service; the expected rates stay.
  void SetRate(std::size_t service, double requests_per_s) { services_[service].requests_per_s = requests_per_s; }
  void SetServing(std::size_t service, const Serving& serving) { services_[service].serving = serving; }
  // Sets the rate that the outlook expects of a service in all slots.
  void Expect(std::size_t service, double requests_per_s) { expected_rates_[service].assign(slots_, requests_per_s); }
  void SetCarbon(std::size_t slot, double g_per_kwh) { carbon_[slot] = GramsPerKwh(g_per_kwh); }
  void SetPrice(std::size_t slot, double per_kwh) { price_[slot] = per_kwh; }
  // Adds a job that the outlook expects.
  void Announce(const scenario::Job& job) { announced_.push_back(job); }

  // The outlook knows all that will happen.
  void SetCertain() { is_certain_ = true; }

  // Refuses orders for the job until Obey().
  void Refuse(JobId job) { answers_[job] = Receipt::Status::kRefused; }
  // Keeps orders for the job pending until Obey().
  void Delay(JobId job) { answers_[job] = Receipt::Status::kPending; }
  void Obey(JobId job) {
    answers_.erase(job);
    pending_.erase(job);
  }

  void Hold(JobId job) { jobs_[job].phase = Phase::kHeld; }
  void Release(JobId job) {
    jobs_[job].phase = Phase::kWaiting;
    arrived_.push_back(job);
  }
  // The job loses its GPUs and waits again.
  void Interrupt(JobId job) {
    jobs_[job].phase = Phase::kWaiting;
    interrupted_.push_back(job);
  }
  void FailNode(std::size_t group) {
    ++failed_[group];
    nodes_on_[group] = std::min(nodes_on_[group], 2 - failed_[group]);
  }
  // Sets Observation::planning_time.
  void SetPlanningTime(Duration time) { planning_time_ = time; }
  void SetNodesOn(std::size_t group, int nodes) { nodes_on_[group] = nodes; }
  // Shows every job as arrived in the next call, as after a restart of the policy.
  void RestartPolicy() {
    arrived_.clear();
    for (const auto& item : jobs_) arrived_.push_back(item.first);
  }

  // Calls `look` with the present observation. Each piece of news is shown once.
  template <typename Look>
  void Show(const Look& look) {
    for (const JobId job : told_ended_) jobs_.Erase(job);
    told_ended_ = std::exchange(ended_, {});
    const std::vector<JobId> arrived = std::exchange(arrived_, {});
    const std::vector<JobId> interrupted = std::exchange(interrupted_, {});
    std::vector<Receipt> receipts = std::exchange(receipts_, {});
    for (const JobId job : pending_) receipts.push_back({0, job, Receipt::Status::kPending, "under way"});
    const std::size_t slot = site_->SlotAt(now_);
    Recount();
    look(Observation{now_, slot, site_->SlotSpan(slot).begin == now_, site_, can_, site_->SlotSpan(slots_).begin, jobs_,
                     arrived, told_ended_, interrupted, receipts, services_, groups_, Grams{}, *this, false,
                     planning_time_});
  }

  const Decision& Ask(Policy& policy) {
    decision_.Clear();
    Show([&](const Observation& observation) { policy.Decide(observation, decision_); });
    for (const JobOrder& order : decision_.jobs) Apply(order);
    for (const ServiceOrder& order : decision_.services) services_[order.service].serving = order.serving;
    for (std::size_t g = 0; g < decision_.nodes_on.size(); ++g) nodes_on_[g] = decision_.nodes_on[g];
    return decision_;
  }

  void MoveTo(double hours) { now_ = site_->start + Duration{static_cast<std::int64_t>(hours * 3600.0)}; }
  void End(JobId job) {
    jobs_[job].phase = Phase::kDone;
    ended_.push_back(job);
  }
  void Progress(JobId job, double share) { jobs_[job].samples_done = share * jobs_[job].asked.samples; }

  JobState& job(JobId id) { return jobs_[id]; }
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
    for (const auto& rates : expected_rates_) {
      forecast.requests_per_s.push_back(std::span<const double>(rates).subspan(slot));
    }
    for (const scenario::Job& job : announced_) forecast.jobs.push_back(&job);
    forecast.is_certain = is_certain_;
    return forecast;
  }
  CarbonIntensity CarbonNow() const override { return carbon_[site_->SlotAt(now_)]; }
  Watts RenewableNow() const override { return renewable_[site_->SlotAt(now_)]; }
  std::optional<double> PriceNow() const override { return std::nullopt; }
  CarbonIntensity DirtiestOfDay() const override { return GramsPerKwh(600.0); }

 private:
  // Samples per second, with diminishing returns of workers and of power.
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
    failed_.push_back(0);
  }

  void Apply(const JobOrder& order) {
    const auto answer = answers_.find(order.job);
    if (answer != answers_.end()) {
      if (answer->second == Receipt::Status::kPending) {
        pending_.insert(order.job);
      } else {
        receipts_.push_back({order.id, order.job, answer->second, "not now"});
      }
      return;
    }
    JobState& job = jobs_[order.job];
    job.phase = order.setting ? Phase::kRunning : Phase::kWaiting;
    if (!order.setting) return;
    job.setting = *order.setting;
    job.home = order.setting->group;
    job.samples_per_s = 0.0;  // jobs make no progress by themselves
  }

  int WorkersOf(JobId id) const {
    return jobs_[id].asked.model.empty() ? jobs_[id].asked.max_workers : PointOf(id).workers;
  }

  void Recount() {
    groups_.assign(site_->groups.size(), {});
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].up = nodes_on_[g];
      groups_[g].asleep = 2 - nodes_on_[g] - failed_[g];
      groups_[g].failed = failed_[g];
      groups_[g].gpus_up = nodes_on_[g] * 4;
    }
    for (const auto& [id, job] : jobs_) {
      if (HoldsGpus(job.phase)) groups_[job.setting.group].gpus_in_use += WorkersOf(id);
    }
    for (const ServiceState& service : services_) {
      groups_[service.serving.group].gpus_in_use += service.serving.replicas;
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].nodes_in_use = (groups_[g].gpus_in_use + 3) / 4;
      if (!can_.place) continue;
      groups_[g].each.assign(2, NodeState::kAsleep);
      std::fill_n(groups_[g].each.begin(), nodes_on_[g], NodeState::kUp);
      std::fill_n(groups_[g].each.rbegin(), failed_[g], NodeState::kFailed);
    }
  }

  std::shared_ptr<scenario::Site> site_ = std::make_shared<scenario::Site>();
  Capabilities can_;
  Duration planning_time_{0};
  bool is_certain_ = false;
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
  std::vector<int> failed_;
  std::vector<JobId> arrived_;
  std::vector<JobId> ended_;
  std::vector<JobId> told_ended_;
  std::vector<JobId> interrupted_;
  std::vector<Receipt> receipts_;
  std::map<JobId, Receipt::Status> answers_;
  std::set<JobId> pending_;
  std::vector<std::vector<double>> expected_rates_;  // [service][slot]
  std::deque<scenario::Job> announced_;
  Decision decision_;
};

inline std::unique_ptr<Policy> Named(const std::string& name, const PolicyOptions& options = {}) {
  return *Make(name, options);
}

}  // namespace heliostat::policy::testing
