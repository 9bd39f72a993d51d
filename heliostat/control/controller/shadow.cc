#include "heliostat/control/controller/shadow.h"

#include <algorithm>
#include <filesystem>

#include "heliostat/base/core/log.h"
#include "heliostat/base/io/file.h"
#include "heliostat/control/cluster_account/accounts.h"
#include "heliostat/control/loop/fields.h"

namespace heliostat::controller {

using io::Json;
using policy::JobId;
using policy::JobState;
using policy::Phase;

namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr auto kLogsKept = std::chrono::hours(24 * 30);

std::string LogFolder(const Config& config) { return config.state + "/decisions"; }

void RemoveOldLogs(const std::string& folder) {
  std::error_code ignored;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    std::error_code no_time;
    const auto written = entry.last_write_time(no_time);
    if (!no_time && now - written > kLogsKept) std::filesystem::remove(entry.path(), no_time);
  }
}

}  // namespace

Result<std::unique_ptr<Shadow>> Shadow::Make(const Config& config, Instant begin, bool can_sleep,
                                             SignalOutlook& outlook) {
  std::string name = config.policy;
  auto made = policy::Make(name, {});
  if (!made) return Propagate(made);
  if (can_sleep && !(*made)->MindsNodes() && name.find("+sleep") == std::string::npos) {
    name += "+sleep";
    made = policy::Make(name, {});
    if (!made) return Propagate(made);
  }
  return std::unique_ptr<Shadow>(new Shadow(config, begin, can_sleep, outlook, *std::move(made), std::move(name)));
}

Shadow::Shadow(const Config& config, Instant begin, bool can_sleep, SignalOutlook& outlook,
               std::unique_ptr<policy::Policy> policy, std::string policy_name)
    : config_(config),
      signals_(outlook),
      outlook_(outlook),
      world_(begin, config.step, config.pue, can_sleep),
      twin_(world_, outlook_, [&outlook](const Interval& slot) { return outlook.SupplyOf(slot); }),
      threads_(config.planning > Duration{0} ? std::make_unique<loop::ThreadedPlanning>(config.planning) : nullptr),
      planning_(threads_ ? static_cast<policy::Planning&>(*threads_) : in_place_),
      policy_name_(std::move(policy_name)),
      policy_(std::move(policy)),
      driver_(twin_, outlook_, *policy_, this, &planning_),
      was_(begin, config.step),
      since_(begin) {}

Shadow::~Shadow() {
  if (log_ == nullptr) return;
  if (const Status bad = log_->Close(); !bad) LogLine(LogLevel::kWarning, bad.error().Line());
}

void Shadow::Step(const NodeGroups& groups, const cluster::ClusterSnapshot& snapshot, std::span<const StartedJob> jobs,
                  std::span<const cluster_account::NodeSpan> before, std::span<const cluster_account::JobSpan> spans) {
  // The last state of the real jobs holds until now.
  world_.MoveTo(snapshot.time);
  if (is_begun_) driver_.Wait();
  is_begun_ = true;
  world_.ShowNodes(groups, snapshot);
  world_.ShowJobs(jobs);
  std::vector<cluster_account::JobSpan> compared;
  std::copy_if(spans.begin(), spans.end(), std::back_inserter(compared),
               [&](const cluster_account::JobSpan& span) { return world_.IdOf(span.key).has_value(); });
  was_.Advance(snapshot.time, before, compared, [&](const Interval& slot) { return signals_.SupplyOf(slot); });
  LogTo(snapshot.time);
  driver_.Step();
  FollowTwin();
}

// One log per day. Each begins with all that its reader needs, and with a policy that knows nothing yet.
void Shadow::LogTo(Instant now) {
  const Instant day{kDay * (now.time_since_epoch() / kDay)};
  if (log_day_ == day) return;
  if (log_ != nullptr) {
    if (const Status bad = log_->Close(); !bad) LogLine(LogLevel::kWarning, bad.error().Line());
    log_.reset();
    policy_ = *policy::Make(policy_name_, {});
    driver_.Replace(*policy_);
  }
  log_day_ = day;
  const std::string folder = LogFolder(config_);
  RemoveOldLogs(folder);
  std::string name = FormatInstant(now);
  std::erase(name, ':');
  Status made = io::MakeDirectories(folder);
  if (made) {
    auto log = loop::DecisionLog::Create(folder + "/" + name + ".jsonl", policy_name_, {}, outlook_, planning_);
    if (log) log_ = *std::move(log);
    if (!log) made = Propagate(log);
  }
  if (!made) LogLine(LogLevel::kWarning, "no decision log: " + made.error().Line());
}

void Shadow::Stepped(const policy::Observation& observation, const policy::Decision& decision) {
  if (log_ != nullptr) log_->Stepped(observation, decision);
  for (const policy::JobOrder& order : decision.jobs) jobs_[order.job].why = TextOf(order.why);
}

void Shadow::FollowTwin() {
  const Instant now = world_.now();
  for (const auto& [id, state] : twin_.jobs()) {
    TwinJob& job = jobs_[id];
    job.is_running = state.phase == Phase::kRunning;
    if (job.is_running && !job.start) job.start = now;
    if (IsOver(state.phase) && !job.end) job.end = now;
    job.planned_start = MayStart(state.phase) ? policy_->PlannedStart(id) : std::nullopt;
  }
  // Over on the twin and in the cluster.
  std::erase_if(jobs_, [&](const auto& entry) {
    if (twin_.jobs().Contains(entry.first) || !entry.second.end || now < *entry.second.end + kDay) return false;
    world_.Forget(entry.first);
    return true;
  });
}

std::optional<TwinJob> Shadow::Of(const cluster::JobKey& key) const {
  const auto id = world_.IdOf(key);
  const auto found = id ? jobs_.find(*id) : jobs_.end();
  return found == jobs_.end() ? std::nullopt : std::optional(found->second);
}

SlotHistory::Totals Shadow::Closed() const {
  SlotHistory::Totals totals{since_, was_.closed(), twin_.totals().would_have_been, 0.0, 0.0};
  for (const auto& [id, state] : world_.jobs()) {
    if (state.phase == Phase::kRunning) totals.gpus_was += state.asked.max_workers;
  }
  for (const auto& [id, state] : twin_.jobs()) {
    if (state.phase == Phase::kRunning) *totals.gpus_would_have_been += state.asked.max_workers;
  }
  return totals;
}

SlotHistory::Totals Shadow::Open() const {
  const account::Supply now = signals_.SupplyOf(was_.OpenSlot());
  return {since_, was_.Open(now), is_begun_ ? twin_.Open(now) : account::Balance{}, 0.0, std::nullopt};
}

ShadowReport Shadow::Report(const SlotCosts& costs, const NodeGroups& groups) const {
  const account::Supply now = signals_.SupplyOf(was_.OpenSlot());
  const auto totals = twin_.totals();
  ShadowReport report;
  report.was = cluster_account::Sum(was_.closed(), was_.Open(now));
  report.would_have_been =
      cluster_account::Sum(totals.would_have_been, is_begun_ ? twin_.Open(now) : account::Balance{});
  report.jobs_done = totals.jobs_done;
  for (const auto& [id, state] : twin_.jobs()) report.jobs_waiting += MayStart(state.phase) ? 1 : 0;

  // Work that the twin still has to do. It may do it at any time of the forecast.
  Joules left;
  for (const loop::ShadowWorld::Arrears& arrears : twin_.JobsInArrears()) {
    const NodeGroup& group = groups.groups()[arrears.group];
    left += (group.gpu_busy - group.group.gpu_idle) * arrears.workers * arrears.running;
  }
  const SlotCosts::Bounds bounds = costs.Within(left);
  report.outstanding.it = left;
  report.outstanding.facility = left * config_.pue;
  report.outstanding.grid = report.outstanding.facility;
  report.outstanding.carbon = (bounds.low.carbon + bounds.high.carbon) / 2.0;
  report.outstanding.cost = (bounds.low.cost + bounds.high.cost) / 2.0;
  const account::Balance saved =
      cluster_account::Difference(cluster_account::Difference(report.was, report.would_have_been), report.outstanding);
  // The watts of the library are those of usual jobs, which this site's need not be.
  double error = 0.0;
  for (const NodeGroup& group : groups.groups()) error = std::max(error, group.gpu_busy_error);
  const auto range = [&](double value, double half) {
    const double spread = half + std::abs(value) * error;
    return Range{value, value - spread, value + spread};
  };
  report.saved_carbon_g = range(saved.carbon.value, (bounds.high.carbon - bounds.low.carbon).value / 2.0);
  report.saved_cost = range(saved.cost, (bounds.high.cost - bounds.low.cost) / 2.0);
  return report;
}

Json Shadow::KeepJobs() const {
  Json jobs{Json::Array{}};
  for (const auto& [id, job] : jobs_) {
    Json entry = Json().Set("id", static_cast<std::int64_t>(id)).Set("running", job.is_running).Set("why", job.why);
    if (job.start) entry.Set("start", FormatInstant(*job.start));
    if (job.end) entry.Set("end", FormatInstant(*job.end));
    jobs.Append(std::move(entry));
  }
  return jobs;
}

std::vector<StateChange::Part> Shadow::Parts(const Shadow* shadow) {
  const auto part = [shadow](const char* name, auto make) {
    return StateChange::Part{name,
                             shadow == nullptr ? std::function<Json()>() : [shadow, make] { return make(*shadow); }};
  };
  return {part("shadow/world", [](const Shadow& of) { return of.world_.Keep(); }),
          part("shadow/twin", [](const Shadow& of) { return of.twin_.Keep(); }),
          part("shadow/was", [](const Shadow& of) { return of.was_.ToJson(); }),
          part("shadow/jobs", [](const Shadow& of) { return of.KeepJobs(); })};
}

Status Shadow::Restore(const std::function<Result<Json>(const std::string& name)>& load) {
  // One after another: each is large.
  const auto take = [&](const std::string& name, const std::function<Status(const Json&)>& into) -> Status {
    const auto kept = load(name);
    if (!kept) return Propagate(kept);
    return into(*kept);
  };
  const Status restored[] = {take("shadow/world", [this](const Json& kept) { return world_.Restore(kept); }),
                             take("shadow/twin", [this](const Json& kept) { return twin_.Restore(kept); }),
                             take("shadow/was",
                                  [this](const Json& kept) -> Status {
                                    auto was = cluster_account::Accounts::FromJson(kept);
                                    if (!was) return Propagate(was);
                                    was_ = *std::move(was);
                                    return {};
                                  }),
                             take("shadow/jobs", [this](const Json& kept) { return RestoreJobs(kept); })};
  for (const Status& status : restored) {
    if (!status) return status;
  }
  is_begun_ = true;
  return {};
}

Status Shadow::RestoreJobs(const Json& kept) {
  const auto elements = kept.Elements();
  if (!elements) return Propagate(elements);
  for (const Json& entry : **elements) {
    loop::LogFields job(entry);
    TwinJob& restored = jobs_[static_cast<JobId>(job.Integer("id"))];
    restored.is_running = job.Boolean("running");
    restored.why = job.Text("why");
    restored.start = job.MaybeTime("start");
    restored.end = job.MaybeTime("end");
    if (!job.status()) return job.status();
  }
  return {};
}

}  // namespace heliostat::controller
