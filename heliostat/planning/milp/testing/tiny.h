#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heliostat/planning/milp/solve.h"
#include "heliostat/planning/plan/check.h"

namespace heliostat::milp::testing {

inline constexpr Instant kStart = std::chrono::sys_days{std::chrono::year{2024} / 3 / 4};
inline constexpr Duration kHourLong{3600};

// One group of `nodes` nodes with `gpus` GPUs each, hour slots, one carbon intensity per slot, and a model "m" without
// operating points yet. Idle GPUs draw 20 W, nodes 100 W (asleep 0 W); waking is free.
inline scenario::Scenario Cluster(std::vector<double> carbon_g_per_kwh, int nodes = 1, int gpus = 4) {
  scenario::Scenario s;
  s.name = "tiny";
  s.start = kStart;
  s.step = kHourLong;
  s.slots = carbon_g_per_kwh.size();
  for (const double g : carbon_g_per_kwh) s.carbon.push_back(GramsPerKwh(g));
  s.renewable.assign(s.slots, Watts{});
  scenario::Group group;
  group.name = "g";
  group.gpu = "G";
  group.nodes = nodes;
  group.gpus_per_node = gpus;
  group.gpu_idle = Watts{20.0};
  group.node_base = Watts{100.0};
  s.groups.push_back(group);
  return s;
}

inline void AddPoint(scenario::Scenario& s, int workers, double samples_per_s, double watts, double limit_w = 300.0) {
  scenario::TrainingPoint point;
  point.knob.power_limit_w = limit_w;
  point.workers = workers;
  point.samples_per_s = samples_per_s;
  point.power = Watts{watts};
  s.training.Add("m", "G", point);
}

// A job from the start to `deadline_h` hours later; without one, best effort.
inline scenario::Job& AddJob(scenario::Scenario& s, double samples, std::optional<double> deadline_h = std::nullopt) {
  scenario::Job job;
  job.id = "j" + std::to_string(s.jobs.size());
  job.model = "m";
  job.submit = s.start;
  if (deadline_h) job.deadline = s.start + Duration{static_cast<std::int64_t>(*deadline_h * 3600.0)};
  job.samples = samples;
  job.max_workers = 64;
  s.jobs.push_back(job);
  return s.jobs.back();
}

inline constexpr plan::Weights kCarbon{1.0, 0.0, 0.0, 0.0};
inline constexpr plan::Weights kCost{0.0, 1.0, 0.0, 0.0};
inline constexpr plan::Weights kEnergy{0.0, 0.0, 1.0, 0.0};
inline constexpr plan::Weights kPerformance{0.0, 0.0, 0.0, 1.0};

inline plan::Outcome SolveTiny(const scenario::Scenario& s, const plan::Weights& weights,
                               const plan::Limits& limits = {}, double gap = 1e-4) {
  return Solve({s, weights, limits}, {Seconds{20.0}, gap});
}

// Hours that a job runs in a slot.
inline double HoursIn(const scenario::Scenario& s, const plan::Outcome& outcome, std::size_t job, std::size_t slot) {
  double hours = 0.0;
  for (const plan::Segment& segment : outcome.plan().jobs[job].segments) {
    hours += Seconds(segment.span.Intersect(s.SlotSpan(slot)).length()).count() / 3600.0;
  }
  return hours;
}

}  // namespace heliostat::milp::testing
