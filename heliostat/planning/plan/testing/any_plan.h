#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "heliostat/planning/plan/event_sweep.h"
#include "heliostat/planning/plan/testing/small_scenario.h"

namespace heliostat::plan::testing {

inline int Draw(int from, int until) { return *rc::gen::inRange(from, until); }

// Any segments of a job inside the horizon, in order, in one group: some adjoin, some do not.
inline JobPlan AnyJobPlan(const scenario::Scenario& s, const scenario::Job& job) {
  JobPlan plan;
  const auto group = static_cast<std::size_t>(Draw(0, static_cast<int>(s.groups.size())));
  const auto points = static_cast<int>(s.training.Of(job.model, s.groups[group].gpu).size());
  const int segments = points == 0 ? 0 : Draw(0, 5);
  Instant t = s.start;
  for (int i = 0; i < segments; ++i) {
    t += Duration{*rc::gen::element(0, 0, 1, 600, 3600, 5000)};
    const Instant end = std::min(s.end(), t + Duration{*rc::gen::element(1, 60, 900, 3600, 7777)});
    if (t >= end) break;
    plan.segments.push_back({{t, end}, group, static_cast<std::size_t>(Draw(0, points))});
    t = end;
  }
  return plan;
}

// Any plan of up to `most_jobs` jobs, which are added to the scenario. No nodes are on yet.
inline Plan AnyPlan(scenario::Scenario& s, int most_jobs) {
  const int jobs = Draw(0, most_jobs + 1);
  for (int i = 0; i < jobs; ++i) {
    s.jobs.push_back(JobOf("any" + std::to_string(i), Draw(0, 3), Draw(0, 2) == 0 ? std::nullopt : std::optional(6.0),
                           1000.0 * Draw(1, 200)));
    s.jobs.back().resume = Duration{Draw(0, 2000)};
  }
  Plan plan = EmptyPlan(s);
  for (std::size_t i = 0; i < s.jobs.size(); ++i) plan.jobs[i] = AnyJobPlan(s, s.jobs[i]);
  for (std::size_t i = 0; i < s.services.size(); ++i) {
    for (std::size_t slot = 0; slot < s.slots; ++slot) {
      const int replicas = Draw(0, 5);
      if (replicas == 0) continue;
      const ServiceSlot how = Serve(s, i, slot, 0, static_cast<std::size_t>(Draw(0, 2)), replicas);
      if (how.utilisation < 1.0) plan.services[i].slots[slot] = how;
    }
  }
  return plan;
}

// Removes jobs and replicas until no second has more GPUs in use than the groups have.
inline void MakeFit(const scenario::Scenario& s, Plan& plan) {
  const auto fits = [&] {
    const auto uses = SweepEvents(s, plan);
    for (std::size_t group = 0; group < uses.size(); ++group) {
      for (const SlotUse& use : uses[group]) {
        if (use.most_gpus > s.groups[group].gpus()) return false;
      }
    }
    return true;
  };
  for (JobPlan& job : plan.jobs) {
    if (fits()) return;
    job.segments.clear();
  }
  for (ServicePlan& service : plan.services) service.slots.assign(s.slots, ServiceSlot{});
}

// The fewest nodes whose GPUs suffice at every second.
inline void SetFewestNodes(const scenario::Scenario& s, Plan& plan) {
  const auto uses = SweepEvents(s, plan);
  for (std::size_t group = 0; group < uses.size(); ++group) {
    const int size = s.groups[group].gpus_per_node;
    for (std::size_t slot = 0; slot < s.slots; ++slot) {
      plan.nodes_on[group][slot] = (uses[group][slot].most_gpus + size - 1) / size;
    }
  }
}

// A scenario and a plan that fits its GPUs, on the fewest nodes.
struct AnyCase {
  scenario::Scenario scenario;
  Plan plan;
};
inline AnyCase DrawCase(int most_jobs = 6) {
  AnyCase c{IdleCluster(), {}};
  c.scenario.services = {ServiceOf("front", {40, 80, 120, 0, 60, 20})};
  c.plan = AnyPlan(c.scenario, most_jobs);
  MakeFit(c.scenario, c.plan);
  SetFewestNodes(c.scenario, c.plan);
  return c;
}

}  // namespace heliostat::plan::testing
