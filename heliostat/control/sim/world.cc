#include "heliostat/control/sim/world.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "heliostat/base/core/check.h"

namespace heliostat::sim {
namespace {

std::vector<std::size_t> ByArrival(const scenario::Scenario& scenario) {
  std::vector<std::size_t> order(scenario.jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&scenario](std::size_t a, std::size_t b) {
    return scenario.jobs[a].submit < scenario.jobs[b].submit;
  });
  return order;
}

}  // namespace

using policy::JobId;
using policy::JobState;
using policy::Phase;

SimulatedWorld::SimulatedWorld(const scenario::Scenario& scenario, const SimulationOptions& options)
    : scenario_(scenario),
      options_(options),
      site_(std::make_shared<const scenario::Site>(scenario.site())),
      arrivals_(ByArrival(scenario)),
      meter_(scenario),
      nodes_(scenario),
      services_(scenario, options.requests, nodes_),
      training_power_(scenario.groups.size()),
      training_gpus_(scenario.groups.size(), 0),
      faults_(options.seed, options.faults) {
  works_.reserve(scenario.jobs.size());
  run_.jobs.resize(scenario.jobs.size());
  for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
    for (int n = 0; n < scenario.groups[g].nodes; ++n) {
      ScheduleFault(What::kNodeFails, g, n);
      ScheduleFault(What::kGpuFails, g, n);
    }
    RefreshLoad(g);
  }
  BeginSlot();
  SubmitUntil(now());
}

// Returns at news, at a new slot, or at `until`.
bool SimulatedWorld::Wait(Instant until) {
  const Instant slot_end = scenario_.SlotSpan(slot_).end;
  for (;;) {
    Instant next = std::min(until, slot_end);
    if (next_arrival_ < arrivals_.size()) next = std::min(next, scenario_.jobs[arrivals_[next_arrival_]].submit);
    if (!events_.empty()) next = std::min(next, events_.next_time());
    next = std::max(next, now());
    AdvanceTo(next);
    if (next == slot_end) {
      const bool is_last = slot_ + 1 == scenario_.slots;
      if (is_last) HandleDue();
      EndSlot();
      if (is_last) return false;
      ++slot_;
      BeginSlot();
      // What happens when a slot begins belongs to that slot: a node that serves from then on has been woken for it.
      HandleDue();
      SubmitUntil(now());
      return true;
    }
    HandleDue();
    SubmitUntil(next);
    if (next >= until || anything_new_) return true;
  }
}

loop::WorldView SimulatedWorld::Look() {
  for (const JobId job : told_.ended) jobs_.Erase(job);
  told_.Clear();
  std::swap(news_, told_);
  anything_new_ = false;
  return {now(),          jobs_,         told_.arrived, told_.ended, told_.interrupted, {}, services_.states(),
          nodes_.Count(), meter_.total()};
}

void SimulatedWorld::SubmitUntil(Instant now) {
  while (next_arrival_ < arrivals_.size() && scenario_.jobs[arrivals_[next_arrival_]].submit <= now) {
    Submit(arrivals_[next_arrival_]);
    ++next_arrival_;
  }
}

const plan::TrainingTable& SimulatedWorld::TableOf(const std::string& model) {
  auto& table = tables_[model];
  if (!table) table = std::make_unique<plan::TrainingTable>(scenario_, model);
  return *table;
}

const scenario::TrainingPoint& SimulatedWorld::PointOf(JobId job) const {
  const policy::RunSetting& setting = jobs_[job].setting;
  return works_[job].table->In(setting.group)[setting.point];
}

void SimulatedWorld::AdvanceTo(Instant now) {
  const Duration length = now - meter_.now();
  if (length.count() > 0) {
    nodes_.Pass(length);
    for (std::size_t g = 0; g < nodes_.groups(); ++g) {
      meter_.AddIdleNodes(nodes_[g].up() - nodes_[g].in_use(), length);
    }
  }
  meter_.Advance(now);
}

void SimulatedWorld::HandleDue() {
  while (!events_.empty() && events_.next_time() <= now()) Happen(events_.Pop());
}

void SimulatedWorld::Happen(const Event& event) {
  switch (event.what) {
    case What::kJobDone:
      if (event.version == works_[event.which].version) FinishJob(event.which);
      return;
    case What::kNodeUp:
      meter_.WakeUp(event.which);
      if (faults_.WakeUpFails(event.which, event.node)) {
        SetNode(event.which, event.node, NodeState::kFailed);
        ++run_.failures;
        events_.Push(now() + options_.faults.repair, {What::kNodeRepaired, event.which, event.node});
      } else {
        SetNode(event.which, event.node, NodeState::kUp);
      }
      anything_new_ = true;
      return;
    case What::kNodeFails:
      FailNode(event.which, event.node);
      return;
    case What::kGpuFails:
      FailGpu(event.which, event.node);
      return;
    case What::kNodeRepaired:
      SetNode(event.which, event.node, NodeState::kUp);
      anything_new_ = true;
      return;
    case What::kGpuRepaired:
      nodes_[event.which].SetGpus(event.node, nodes_[event.which].gpus(event.node) + 1);
      RefreshLoad(event.which);
      anything_new_ = true;
      return;
  }
}

void SimulatedWorld::Submit(std::size_t scenario_job) {
  const scenario::Job& asked = scenario_.jobs[scenario_job];
  const JobId id = next_arrival_;
  JobState state;
  state.asked = asked;
  jobs_.Add(id, std::move(state));
  Work work;
  work.scenario_job = scenario_job;
  work.true_samples = asked.samples;
  if (const double e = options_.estimate_error; e > 0.0) {
    // Each job has its own random stream, so its length does not depend on its arrival or on other jobs.
    RandomStream own = RandomStream(options_.seed).Split("length").Split(scenario_job);
    work.true_samples *= std::exp(own.Normal(-e * e / 2.0, e));
  }
  work.table = &TableOf(asked.model);
  works_.push_back(work);
  news_.arrived.push_back(id);
  anything_new_ = true;
}

void SimulatedWorld::Bank(JobId job) {
  JobState& state = jobs_[job];
  Work& work = works_[job];
  const scenario::TrainingPoint& point = PointOf(job);
  JobRun& run = run_.jobs[work.scenario_job];
  run.energy += point.power * Seconds(now() - work.segment_begin);
  if (now() > work.segment_begin) {
    auto& segments = run.plan.segments;
    const plan::Segment segment{{work.segment_begin, now()}, state.setting.group, state.setting.point};
    if (!segments.empty() && segments.back().span.end == segment.span.begin && segments.back().group == segment.group &&
        segments.back().point == segment.point && work.segment_begin != work.run_begin) {
      segments.back().span.end = now();
    } else {
      segments.push_back(segment);
    }
  }
  work.segment_begin = now();
  if (now() > state.since) {
    state.samples_done += state.samples_per_s * Seconds(now() - state.since).count();
    state.since = now();
  }
}

void SimulatedWorld::Stop(JobId job) {
  Bank(job);
  JobState& state = jobs_[job];
  Work& work = works_[job];
  const scenario::TrainingPoint& point = PointOf(job);
  const std::size_t group = state.setting.group;
  training_power_[group] = training_power_[group] - point.power;
  training_gpus_[group] -= point.workers;
  nodes_[group].Release(state.nodes);
  state.nodes.clear();
  ++work.version;
  state.phase = Phase::kWaiting;
  RefreshLoad(group);
}

// On the named nodes, where replicas make room, or else where the world packs best. Empty when too few GPUs are free.
Holds SimulatedWorld::PlaceFor(const policy::JobOrder& order, int gpus) {
  const std::size_t group = order.setting->group;
  GroupNodes& nodes = nodes_[group];
  if (!order.nodes.empty()) {
    for (const NodeHold& hold : order.nodes) services_.MakeRoom(group, hold.node, hold.gpus);
    if (nodes.TakeNamed(order.nodes, order.until.value_or(now()))) return order.nodes;
  }
  return order.until ? nodes.Take(gpus, now(), *order.until) : nodes.Take(gpus);
}

bool SimulatedWorld::Start(const policy::JobOrder& order) {
  const JobId job = order.job;
  const policy::RunSetting& setting = *order.setting;
  JobState& state = jobs_[job];
  Work& work = works_[job];
  const scenario::TrainingPoint& point = work.table->In(setting.group)[setting.point];
  state.nodes = PlaceFor(order, point.workers);
  if (state.nodes.empty()) return false;
  state.phase = Phase::kRunning;
  state.setting = setting;
  state.home = setting.group;
  state.samples_per_s = point.samples_per_s;
  state.since = now() + state.asked.resume;
  work.segment_begin = work.run_begin = now();
  work.samples_at_begin = state.samples_done;
  training_power_[setting.group] += point.power;
  training_gpus_[setting.group] += point.workers;
  ++run_.jobs[work.scenario_job].starts;
  RefreshLoad(setting.group);
  ScheduleEnd(job);
  return true;
}

void SimulatedWorld::Retune(JobId job, std::size_t point) {
  Bank(job);
  JobState& state = jobs_[job];
  const std::size_t group = state.setting.group;
  training_power_[group] = training_power_[group] - PointOf(job).power;
  state.setting.point = point;
  state.samples_per_s = PointOf(job).samples_per_s;
  training_power_[group] += PointOf(job).power;
  RefreshLoad(group);
  ScheduleEnd(job);
}

void SimulatedWorld::ScheduleEnd(JobId job) {
  const JobState& state = jobs_[job];
  Work& work = works_[job];
  const double left = std::max(0.0, work.true_samples - state.samples_done);
  const double seconds = left / state.samples_per_s;
  ++work.version;
  const Instant from = std::max(now(), state.since);
  const double room = Seconds(scenario_.end() - from).count();
  if (seconds > room + 1.0) return;  // not within the horizon
  // A fraction of a second that comes from rounding does not add a second.
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds - 1e-6));
  events_.Push(from + Duration(std::max<std::int64_t>(whole, 0)), {What::kJobDone, job, 0, work.version});
}

void SimulatedWorld::FinishJob(JobId job) {
  Stop(job);
  JobState& state = jobs_[job];
  state.phase = Phase::kDone;
  JobRun& run = run_.jobs[works_[job].scenario_job];
  run.finish = now();
  // A finished job counts with the user's estimate, also when the estimate was wrong.
  run.samples_done = state.asked.samples;
  news_.ended.push_back(job);
  anything_new_ = true;
}

// Stops the job and takes it back to its last checkpoint.
void SimulatedWorld::Interrupt(JobId job) {
  const scenario::TrainingPoint& point = PointOf(job);
  Stop(job);
  JobState& state = jobs_[job];
  Work& work = works_[job];
  const Duration resume = state.asked.resume;
  const Duration ran = now() - work.run_begin - resume;
  const Duration every = options_.faults.checkpoint;
  double kept = 0.0;
  if (state.asked.preemptible) {
    // Approximate: uses the last speed for the whole time. Never keeps more than was done.
    const auto whole = every.count() > 0 ? every * (std::max<std::int64_t>(ran.count(), 0) / every.count()) : ran;
    const double since_checkpoint = Seconds(ran - whole).count() * point.samples_per_s;
    kept = std::max(work.samples_at_begin, state.samples_done - std::max(0.0, since_checkpoint));
  }
  state.samples_done = std::min(state.samples_done, kept);
  ++run_.jobs[work.scenario_job].interruptions;
  news_.interrupted.push_back(job);
  anything_new_ = true;
}

void SimulatedWorld::News::Clear() {
  arrived.clear();
  ended.clear();
  interrupted.clear();
}

}  // namespace heliostat::sim
