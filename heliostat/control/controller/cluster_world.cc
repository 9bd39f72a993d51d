#include "heliostat/control/controller/cluster_world.h"

#include <algorithm>
#include <set>
#include <utility>

#include "heliostat/control/cluster_account/accounts.h"
#include "heliostat/control/loop/fields.h"
#include "heliostat/control/loop/record_json.h"

namespace heliostat::controller {

using cluster::JobKey;
using io::Json;
using policy::JobId;
using policy::JobState;
using policy::Phase;

namespace {

// What a requeued job does again: reading data, and work since its last checkpoint.
constexpr Duration kRestart = std::chrono::minutes(10);

// The seconds in which a job makes progress. Its first start is a part of its length.
double SamplesIn(Duration length, Duration resume) { return std::max(1.0, Seconds(length - resume).count()); }

}  // namespace

ClusterWorld::ClusterWorld(Instant begin, Duration step, double pue, bool can_sleep)
    : can_sleep_(can_sleep), now_(begin) {
  scenario::Site site;
  site.name = "cluster";
  site.start = Instant{step * (begin.time_since_epoch() / step)};
  site.step = step;
  site.pue = pue;
  site_ = std::make_shared<const scenario::Site>(std::move(site));
}

void ClusterWorld::SetSite(scenario::Site site) {
  ++site.version;
  site_ = std::make_shared<const scenario::Site>(std::move(site));
}

policy::Capabilities ClusterWorld::capabilities() const {
  policy::Capabilities can;
  can.suspend = false;  // a suspended job keeps its GPUs
  can.requeue = true;
  can.shrink = false;
  can.grow = false;
  can.cap_power = false;
  can.sleep_nodes = can_sleep_;
  return can;
}

void ClusterWorld::ShowNodes(const NodeGroups& groups, const cluster::ClusterSnapshot& snapshot) {
  std::vector<scenario::Group> wanted;
  gpu_busy_.clear();
  for (const NodeGroup& group : groups.groups()) {
    wanted.push_back(group.group);
    wanted.back().gpu = group.group.name;  // a job stays in its group, so profiles are per group
    gpu_busy_.push_back(group.gpu_busy);
  }
  if (wanted != site_->groups) {
    scenario::Site site = *site_;
    site.groups = std::move(wanted);
    SetSite(std::move(site));
  }
  groups_.assign(groups.groups().size(), {});
  for (const cluster::ClusterNode& node : snapshot.nodes) {
    const auto g = groups.Of(node.name);
    if (!g) continue;
    policy::GroupState& group = groups_[*g];
    switch (node.state) {
      case cluster::NodeState::kDown:
        ++group.failed;
        break;
      case cluster::NodeState::kAsleep:
      case cluster::NodeState::kPoweringDown:
        ++group.asleep;
        break;
      case cluster::NodeState::kWaking:
        ++group.waking;
        break;
      default: {
        ++group.up;
        group.gpus_up += site_->groups[*g].gpus_per_node;
        const int in_use = cluster::CountOf(node.gpus_in_use);
        group.gpus_in_use += in_use;
        group.nodes_in_use += in_use > 0 ? 1 : 0;
      }
    }
  }
}

// The index of the point with so many GPUs; adds it to the profile when it is not there.
std::size_t ClusterWorld::PointFor(std::size_t group, int gpus) {
  const std::string& name = site_->groups[group].name;
  const auto& points = site_->training.Of(name, name);
  const auto found = std::find_if(points.begin(), points.end(),
                                  [&](const scenario::TrainingPoint& point) { return point.workers == gpus; });
  const auto index = static_cast<std::size_t>(found - points.begin());
  if (found != points.end()) return index;
  scenario::Site site = *site_;
  site.training.Add(name, name, {{}, gpus, 1.0, gpu_busy_[group] * gpus});
  SetSite(std::move(site));
  return index;
}

void ClusterWorld::ShowJobs(std::span<const StartedJob> jobs) {
  const auto due = std::exchange(ends_at_next_, {});
  std::set<JobKey> shown;
  for (const StartedJob& job : jobs) {
    shown.insert(job.key);
    const auto id = IdOf(job.key);
    if (!id && !ids_.contains(job.key)) Begin(job);
    if (id && job.end) End(*id, *job.end);
  }
  for (const auto& [id, end] : due) End(id, end);
  for (const auto& [key, id] : ids_) {
    if (!shown.contains(key) && !ends_at_next_.contains(id)) End(id, now_);
  }
}

void ClusterWorld::Begin(const StartedJob& job) {
  if (job.group >= site_->groups.size() || job.gpus > site_->groups[job.group].gpus() || job.gpus < 1) return;
  const scenario::Group& group = site_->groups[job.group];
  JobState state;
  state.asked.id = cluster_account::TextOf(job.key);
  state.asked.model = group.name;
  state.asked.submit = job.start;
  state.asked.owner = job.user;
  state.asked.min_workers = state.asked.max_workers = job.gpus;
  state.asked.preemptible = job.may_requeue && job.slack.has_value();
  state.asked.resume = state.asked.preemptible ? kRestart : Duration{0};
  state.asked.samples = SamplesIn(job.length, state.asked.resume);
  // A node may have to wake for a job that must not wait.
  state.asked.deadline =
      std::max(job.start + job.length, now_) + job.slack.value_or(can_sleep_ ? group.wake_time : Duration{0});
  state.phase = Phase::kRunning;
  state.setting = {job.group, PointFor(job.group, job.gpus)};
  state.home = job.group;
  state.samples_per_s = 1.0;
  state.since = job.start + state.asked.resume;
  const JobId id = next_id_++;
  jobs_.Add(id, std::move(state));
  ids_.emplace(job.key, id);
  keys_.emplace(id, job.key);
  arrived_.push_back(id);
  if (job.end) ends_at_next_.emplace(id, *job.end);
}

// Whether it succeeded does not matter: it has used its GPUs.
void ClusterWorld::End(JobId id, Instant end) {
  JobState* const state = jobs_.Find(id);
  if (state == nullptr || IsOver(state->phase)) return;
  state->phase = Phase::kDone;
  state->samples_done = SamplesIn(end - state->asked.submit, state->asked.resume);
  ended_.push_back(id);
}

std::optional<JobId> ClusterWorld::IdOf(const JobKey& key) const {
  const auto found = ids_.find(key);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const JobKey* ClusterWorld::KeyOf(JobId id) const {
  const auto found = keys_.find(id);
  return found == keys_.end() ? nullptr : &found->second;
}

void ClusterWorld::Forget(JobId id) {
  const auto found = keys_.find(id);
  if (found == keys_.end()) return;
  ids_.erase(found->second);
  keys_.erase(found);
}

loop::WorldView ClusterWorld::Look() {
  for (const JobId id : told_ended_) jobs_.Erase(id);
  told_ended_ = std::exchange(ended_, {});
  told_arrived_ = std::exchange(arrived_, {});
  return {now_, jobs_, told_arrived_, told_ended_, {}, {}, {}, groups_, {}};
}

void ClusterWorld::Apply(const policy::Decision& decision, std::vector<policy::Receipt>& receipts) {
  for (const policy::JobOrder& order : decision.jobs) {
    receipts.push_back({order.id, order.job, policy::Receipt::Status::kRefused, "nothing may be changed"});
  }
}

Json ClusterWorld::Keep() const {
  Json::Array jobs;
  for (const auto& [id, key] : keys_) {
    Json job = Json().Set("id", static_cast<std::int64_t>(id)).Set("key", cluster_account::TextOf(key));
    const JobState* const state = jobs_.Find(id);
    if (state != nullptr && !IsOver(state->phase)) {
      job.Set("asked", loop::ToJson(state->asked)).Set("state", loop::ToJson(id, *state));
    }
    if (ends_at_next_.contains(id)) job.Set("ends", FormatInstant(ends_at_next_.at(id)));
    jobs.push_back(std::move(job));
  }
  // Not in one expression, which would copy it all.
  Json json;
  json.Set("now", FormatInstant(now_))
      .Set("next_id", static_cast<std::int64_t>(next_id_))
      .Set("site", loop::ToJson(*site_))
      .Set("jobs", std::move(jobs));
  return json;
}

Status ClusterWorld::Restore(const Json& kept) {
  loop::LogFields fields(kept);
  now_ = fields.Time("now");
  next_id_ = static_cast<JobId>(fields.Integer("next_id"));
  const auto site_json = kept.Get("site");
  if (!site_json) return Propagate(site_json);
  auto site = loop::SiteFromJson(**site_json);
  if (!site) return Propagate(site);
  site_ = std::make_shared<const scenario::Site>(*std::move(site));
  for (const Json& entry : fields.Elements("jobs")) {
    loop::LogFields job(entry);
    const auto id = static_cast<JobId>(job.Integer("id"));
    const auto key = cluster_account::KeyOf(job.Text("key"));
    if (!job.status()) return job.status();
    if (!key) return Fail(ErrorCode::kCorrupt, entry.where(), "is no job");
    ids_.emplace(*key, id);
    keys_.emplace(id, *key);
    if (job.Has("ends")) ends_at_next_.emplace(id, job.Time("ends"));
    if (!job.Has("asked") || !job.Has("state")) continue;
    auto asked = loop::JobFromJson(*entry.Find("asked"));
    if (!asked) return Propagate(asked);
    JobState state;
    state.asked = *std::move(asked);
    if (const Status bad = loop::ReadState(*entry.Find("state"), state); !bad) return bad;
    jobs_.Add(id, std::move(state));
  }
  return fields.status();
}

}  // namespace heliostat::controller
