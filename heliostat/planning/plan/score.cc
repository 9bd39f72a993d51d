#include "heliostat/planning/plan/score.h"

#include <algorithm>
#include <unordered_map>

#include "heliostat/base/core/check.h"
#include "heliostat/model/scenario/energy.h"
#include "heliostat/planning/plan/progress.h"

namespace heliostat::plan {
namespace {

// The use of every group in every slot.
class Uses {
 public:
  explicit Uses(const scenario::Scenario& scenario)
      : scenario_(scenario), uses_(scenario.groups.size() * scenario.slots) {}

  scenario::GroupUse& At(std::size_t group, std::size_t slot) { return uses_[slot * scenario_.groups.size() + group]; }

  // Adds the energy of a segment to the slots that it touches, by the second.
  void AddRun(const Segment& segment, const scenario::TrainingPoint& point) {
    const Interval span = segment.span.Intersect(scenario_.horizon());
    Instant t = span.begin;
    while (t < span.end) {
      const auto slot = static_cast<std::size_t>((t - scenario_.start) / scenario_.step);
      const Instant until = std::min(span.end, scenario_.SlotSpan(slot).end);
      scenario::GroupUse& use = At(segment.group, slot);
      const Seconds length(until - t);
      use.busy_gpus += length * point.workers;
      use.running += point.power * length;
      t = until;
    }
  }

  void AddReplicas(const scenario::Service& service, std::size_t slot, const ServiceSlot& how) {
    if (how.replicas == 0) return;
    const scenario::Group& group = scenario_.groups[how.group];
    const auto& points = scenario_.inference.Of(service.model, group.gpu);
    Check(how.point < points.size(), "the operating point of the service does not exist");
    const Seconds gpu_time = Seconds(scenario_.step) * how.replicas;
    scenario::GroupUse& use = At(how.group, slot);
    use.busy_gpus += gpu_time;
    use.running += account::ServingPower(group.gpu_idle, points[how.point].power, how.utilisation) * gpu_time;
  }

  void AddNodes(std::size_t group, const std::vector<int>& on) {
    const Seconds step(scenario_.step);
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
      scenario::GroupUse& use = At(group, slot);
      use.nodes_on = step * on[slot];
      use.nodes_off = step * (scenario_.groups[group].nodes - on[slot]);
      use.wake_ups = std::max(0, on[slot] - (slot == 0 ? scenario_.UpBefore(group) : on[slot - 1]));
    }
  }

 private:
  const scenario::Scenario& scenario_;
  std::vector<scenario::GroupUse> uses_;
};

Uses UsesOf(const scenario::Scenario& scenario, const Plan& plan) {
  Uses uses(scenario);
  std::unordered_map<std::string, TrainingTable> tables;
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    if (plan.jobs[i].segments.empty()) continue;
    const std::string& model = scenario.jobs[i].model;
    auto table = tables.find(model);
    if (table == tables.end()) table = tables.emplace(model, TrainingTable(scenario, model)).first;
    for (const Segment& segment : plan.jobs[i].segments) uses.AddRun(segment, table->second.At(segment));
  }
  for (std::size_t i = 0; i < scenario.services.size(); ++i) {
    for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
      uses.AddReplicas(scenario.services[i], slot, plan.services[i].slots[slot]);
    }
  }
  for (std::size_t group = 0; group < scenario.groups.size(); ++group) uses.AddNodes(group, plan.nodes_on[group]);
  return uses;
}

}  // namespace

Score ScoreOf(const scenario::Scenario& scenario, const Plan& plan) {
  Check(plan.jobs.size() == scenario.jobs.size(), "the plan does not have one entry per job");
  Check(plan.services.size() == scenario.services.size(), "the plan does not have one entry per service");
  Check(plan.nodes_on.size() == scenario.groups.size(), "the plan does not have one entry per group");
  Uses uses = UsesOf(scenario, plan);
  Score score;
  score.slots.reserve(scenario.slots);
  for (std::size_t slot = 0; slot < scenario.slots; ++slot) {
    Joules it;
    for (std::size_t group = 0; group < scenario.groups.size(); ++group) {
      it += scenario::ItEnergy(scenario.groups[group], uses.At(group, slot));
      score.wake_ups += uses.At(group, slot).wake_ups;
    }
    score.slots.push_back(account::Settle(it, scenario::SupplyOf(scenario, slot)));
    score.total += score.slots.back();
  }
  score.performance = PerformanceOf(scenario, plan);
  return score;
}

}  // namespace heliostat::plan
