#include "heliostat/control/loop/violations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "heliostat/control/policy/choices.h"

namespace heliostat::loop {
namespace {

using policy::HoldsGpus;
using policy::JobOrder;
using policy::JobState;
using policy::Observation;
using policy::Phase;

// The point that a setting names, where there is one. A job without a model has one way to run, wherever it fits.
std::optional<scenario::TrainingPoint> PointOf(const Observation& observation, const JobState& job,
                                               const policy::RunSetting& setting) {
  if (setting.group >= observation.site->groups.size()) return std::nullopt;
  const scenario::Group& group = observation.site->groups[setting.group];
  if (job.asked.model.empty()) {
    if (setting.point != 0 || job.asked.max_workers > group.gpus()) return std::nullopt;
    scenario::TrainingPoint point;
    point.workers = job.asked.max_workers;
    return point;
  }
  const auto& points = observation.site->training.Of(job.asked.model, group.gpu);
  if (setting.point >= points.size()) return std::nullopt;
  return points[setting.point];
}

bool IsTurnedDown(const Observation& observation, const JobState& job, const policy::RunSetting& setting) {
  if (job.asked.model.empty()) return false;
  const auto& points = observation.site->training.Of(job.asked.model, observation.site->groups[setting.group].gpu);
  const scenario::TrainingPoint& chosen = points[setting.point];
  return std::any_of(points.begin(), points.end(), [&](const scenario::TrainingPoint& other) {
    return other.workers == chosen.workers && policy::IsHigher(other.knob, chosen.knob);
  });
}

std::string WrongStop(const Observation& observation, const JobState& job) {
  if (!job.asked.preemptible) return "runs in one piece and is told to stop";
  if (!observation.capabilities.may_stop()) return "is told to stop where jobs cannot be stopped";
  return {};
}

// Of a job that runs and is to go on with other workers.
std::string WrongResize(const Observation& observation, const JobState& job, int from, int to) {
  if (from == to) return {};
  const std::string stop = WrongStop(observation, job);
  if (!stop.empty()) return stop;
  const policy::Capabilities& can = observation.capabilities;
  if (can.requeue || (to < from ? can.shrink : can.grow)) return {};
  return fmt::format("is to go on with {} workers instead of {} where that cannot be done", to, from);
}

std::string WrongSetting(const Observation& observation, const JobState& job, const policy::RunSetting& setting) {
  const auto point = PointOf(observation, job, setting);
  if (!point) return "gets an operating point that does not exist";
  if (point->workers < job.asked.min_workers || point->workers > job.asked.max_workers) {
    return fmt::format("gets {} workers and may have {} to {}", point->workers, job.asked.min_workers,
                       job.asked.max_workers);
  }
  if (job.home && *job.home != setting.group) return "is moved out of its group";
  if (!observation.capabilities.cap_power && IsTurnedDown(observation, job, setting)) {
    return "is turned down where power cannot be capped";
  }
  if (!HoldsGpus(job.phase)) return {};
  const auto now = PointOf(observation, job, job.setting);
  return WrongResize(observation, job, now ? now->workers : point->workers, point->workers);
}

std::string WrongJob(const Observation& observation, const JobOrder& order) {
  const JobState* job = observation.jobs.Find(order.job);
  if (job == nullptr) return "is not known";
  if (IsOver(job->phase)) return "has ended";
  if (job->phase == Phase::kHeld) return "is held";
  if (order.setting) return WrongSetting(observation, *job, *order.setting);
  return HoldsGpus(job->phase) ? WrongStop(observation, *job) : "is told to stop and does not run";
}

void CheckJobs(const Observation& observation, const policy::Decision& decision, std::vector<Violation>& found) {
  // A stop and a start are a restart; two stops or two settings contradict each other.
  std::set<std::pair<policy::JobId, bool>> ordered;
  for (std::size_t i = 0; i < decision.jobs.size(); ++i) {
    const JobOrder& order = decision.jobs[i];
    std::string why = WrongJob(observation, order);
    const bool is_first = ordered.emplace(order.job, order.setting.has_value()).second;
    if (why.empty() && !is_first) why = "is ordered twice";
    if (!why.empty()) found.push_back({Violation::Part::kJob, i, fmt::format("job {} {}", order.job, why)});
  }
}

void CheckServices(const Observation& observation, const policy::Decision& decision, std::vector<Violation>& found) {
  for (std::size_t i = 0; i < decision.services.size(); ++i) {
    const policy::ServiceOrder& order = decision.services[i];
    std::string why;
    if (order.service >= observation.services.size()) {
      why = "is not known";
    } else if (order.serving.group >= observation.groups.size() || order.serving.replicas < 0) {
      why = "is placed where nothing is";
    } else if (order.serving.replicas > 0) {
      const auto& model = observation.services[order.service].asked.model;
      const auto& gpu = observation.site->groups[order.serving.group].gpu;
      if (order.serving.point >= observation.site->inference.Of(model, gpu).size()) {
        why = "gets an operating point that does not exist";
      }
    }
    if (!why.empty()) found.push_back({Violation::Part::kService, i, fmt::format("service {} {}", order.service, why)});
  }
}

}  // namespace

std::vector<Violation> Violations(const Observation& observation, const policy::Decision& decision) {
  std::vector<Violation> found;
  CheckJobs(observation, decision, found);
  CheckServices(observation, decision, found);
  if (!decision.nodes_on.empty() && decision.nodes_on.size() != observation.groups.size()) {
    found.push_back({Violation::Part::kNodes, 0, "nodes are ordered for another number of groups than there is"});
  } else if (!decision.nodes_on.empty() && !observation.capabilities.sleep_nodes) {
    found.push_back({Violation::Part::kNodes, 0, "nodes are put to sleep where that cannot be done"});
  }
  if (decision.call_again && *decision.call_again <= observation.now) {
    found.push_back({Violation::Part::kCallAgain, 0, "the policy asks to be called in the past"});
  }
  return found;
}

}  // namespace heliostat::loop
