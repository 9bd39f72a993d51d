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

// The point of a setting. Nothing when there is none. A job without a model has one point per group in which it fits.
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
  if (!job.asked.preemptible) return "is stopped, but is not preemptible";
  if (!observation.capabilities.may_stop()) return "is stopped, but this world cannot stop jobs";
  return {};
}

// For a running job that gets another number of workers.
std::string WrongResize(const Observation& observation, const JobState& job, int from, int to) {
  if (from == to) return {};
  const std::string stop = WrongStop(observation, job);
  if (!stop.empty()) return stop;
  const policy::Capabilities& can = observation.capabilities;
  if (can.requeue || (to < from ? can.shrink : can.grow)) return {};
  return fmt::format("gets {} workers instead of {}, but this world cannot resize it", to, from);
}

std::string WrongSetting(const Observation& observation, const JobState& job, const policy::RunSetting& setting) {
  const auto point = PointOf(observation, job, setting);
  if (!point) return "gets an operating point that does not exist";
  if (point->workers < job.asked.min_workers || point->workers > job.asked.max_workers) {
    return fmt::format("gets {} workers; {} to {} are allowed", point->workers, job.asked.min_workers,
                       job.asked.max_workers);
  }
  if (job.home && *job.home != setting.group) return "is moved out of its group";
  if (!observation.capabilities.cap_power && IsTurnedDown(observation, job, setting)) {
    return "gets a lower power limit or clock, but this world cannot cap power";
  }
  if (!HoldsGpus(job.phase)) return {};
  const auto now = PointOf(observation, job, job.setting);
  return WrongResize(observation, job, now ? now->workers : point->workers, point->workers);
}

// For an order with a setting that exists.
std::string WrongNodes(const Observation& observation, const JobState& job, const JobOrder& order) {
  if (order.nodes.empty()) return {};
  if (!observation.capabilities.place) return "is sent to named nodes, but this world chooses them itself";
  const scenario::Group& group = observation.site->groups[order.setting->group];
  int gpus = 0;
  std::set<int> named;
  for (const policy::NodeShare& share : order.nodes) {
    if (!named.insert(share.node).second) return "is sent to one node twice";
    if (share.node < 0 || share.node >= group.nodes || share.gpus <= 0 || share.gpus > group.gpus_per_node) {
      return "is sent to a node or to GPUs that do not exist";
    }
    gpus += share.gpus;
  }
  const int workers = PointOf(observation, job, *order.setting)->workers;
  return gpus == workers ? "" : fmt::format("has {} workers, but gets {} GPUs on named nodes", workers, gpus);
}

std::string WrongJob(const Observation& observation, const JobOrder& order) {
  const JobState* job = observation.jobs.Find(order.job);
  if (job == nullptr) return "is not known";
  if (IsOver(job->phase)) return "has ended";
  if (job->phase == Phase::kHeld) return "is held";
  if (order.setting) {
    const std::string why = WrongSetting(observation, *job, *order.setting);
    return why.empty() ? WrongNodes(observation, *job, order) : why;
  }
  return HoldsGpus(job->phase) ? WrongStop(observation, *job) : "is stopped, but does not run";
}

void CheckJobs(const Observation& observation, const policy::Decision& decision, std::vector<Violation>& found) {
  // A stop and a setting for one job are a restart. Two stops or two settings are a violation.
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
      why = "gets a group that does not exist or a negative number of replicas";
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

// What is wrong with the orders for nodes. Empty when nothing is.
std::string WrongNodesUp(const Observation& observation, const policy::Decision& decision) {
  const std::size_t groups = observation.groups.size();
  if (!decision.nodes_on.empty() && decision.nodes_on.size() != groups) {
    return fmt::format("nodes_on has {} values; there are {} groups", decision.nodes_on.size(), groups);
  }
  if (!decision.nodes_on.empty() && !observation.capabilities.sleep_nodes) {
    return "nodes_on is set, but this world cannot put nodes to sleep";
  }
  if (decision.nodes_up.empty()) return {};
  if (!observation.capabilities.place) return "nodes_up is set, but this world chooses nodes itself";
  if (decision.nodes_up.size() != decision.nodes_on.size()) return "nodes_up and nodes_on do not have equal lengths";
  for (std::size_t g = 0; g < groups; ++g) {
    const std::set<int> named(decision.nodes_up[g].begin(), decision.nodes_up[g].end());
    const bool exist = named.empty() || (*named.begin() >= 0 && *named.rbegin() < observation.site->groups[g].nodes);
    if (!exist || named.size() != decision.nodes_up[g].size())
      return "nodes_up names a node that does not exist, or twice";
    if (static_cast<int>(named.size()) != decision.nodes_on[g])
      return "nodes_up does not name as many as nodes_on says";
  }
  return {};
}

}  // namespace

std::vector<Violation> Violations(const Observation& observation, const policy::Decision& decision) {
  std::vector<Violation> found;
  CheckJobs(observation, decision, found);
  CheckServices(observation, decision, found);
  if (std::string why = WrongNodesUp(observation, decision); !why.empty()) {
    found.push_back({Violation::Part::kNodes, 0, std::move(why)});
  }
  if (decision.call_again && *decision.call_again <= observation.now) {
    found.push_back({Violation::Part::kCallAgain, 0, "call_again is now or in the past; it must be later"});
  }
  return found;
}

}  // namespace heliostat::loop
