#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/planning/milp/testing/tiny.h"

namespace heliostat::milp::testing {

inline int AnyOf(int low, int high, RandomStream& random) {  // low .. high
  return low + static_cast<int>(random.Below(static_cast<std::uint64_t>(high - low + 1)));
}

// A few jobs of all kinds on a few nodes for a few hours.
inline scenario::Scenario AnyScenario(RandomStream& random) {
  const int slots = AnyOf(2, 4, random);
  std::vector<double> carbon;
  for (int i = 0; i < slots; ++i) carbon.push_back(AnyOf(50, 600, random));
  const int nodes = AnyOf(1, 3, random);
  scenario::Scenario s = Cluster(carbon, nodes, AnyOf(1, 4, random));
  s.pue = 1.0 + 0.1 * AnyOf(0, 4, random);
  s.groups[0].node_sleep = Watts{static_cast<double>(AnyOf(0, 20, random))};
  s.groups[0].wake_energy = KilowattHours(0.01 * AnyOf(0, 10, random));
  for (Watts& power : s.renewable) power = std::max(Watts{static_cast<double>(AnyOf(-300, 600, random))}, Watts{});
  for (int i = 0; i < slots; ++i) s.price_per_kwh.push_back(0.01 * AnyOf(-5, 40, random));
  for (const int workers : {1, 2}) {
    for (int k = 1; k <= 3; ++k) {
      AddPoint(s, workers, workers * (4.0 + 2.0 * k), workers * (60.0 + 20.0 * k * k), 100.0 * k);
    }
  }
  const int jobs = AnyOf(1, 3, random);
  for (int i = 0; i < jobs; ++i) {
    const double hours = AnyOf(1, slots, random);
    const double work = 0.1 * AnyOf(1, 8, random) * hours;
    scenario::Job& job = AddJob(s, work * 36000.0, hours);
    if (random.Chance(0.25)) job.deadline.reset();
    job.resume = Duration{random.Chance(0.5) ? 0 : random.Chance(0.5) ? 90 : 400};
    job.preemptible = random.Chance(0.7);
    job.max_workers = AnyOf(1, 2, random);
  }
  return s;
}

inline plan::Weights AnyWeights(RandomStream& random) {
  return std::vector<plan::Weights>{kCarbon, kCost, kEnergy}[random.Below(3)];
}

// Each job somewhere in its window at one point, until it is done.
inline plan::Plan AnyPlan(const scenario::Scenario& s, RandomStream& random) {
  plan::Plan plan = plan::EmptyPlan(s);
  for (std::size_t job = 0; job < s.jobs.size(); ++job) {
    const scenario::Job& who = s.jobs[job];
    const std::vector<std::size_t> points = s.PointsFor(who, 0);
    if (points.empty()) continue;
    const std::size_t point = points[random.Below(points.size())];
    const double rate = s.training.Of(who.model, "G")[point].samples_per_s;
    const Duration length = who.resume + Duration{static_cast<std::int64_t>(std::ceil(who.samples / rate))};
    const Interval window = s.WindowOf(who);
    const std::int64_t room = std::max<std::int64_t>(0, (window.length() - length).count());
    const auto wait = static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(room) + 1));
    const Instant begin = window.begin + Duration{wait};
    plan.jobs[job].segments.push_back({{begin, std::min(window.end, begin + length)}, 0, point});
  }
  plan.nodes_on[0].assign(s.slots, s.groups[0].nodes);
  for (std::size_t slot = 0; slot < s.slots; ++slot) {
    // Fewer nodes, where the plan stays valid.
    plan::Plan fewer = plan;
    fewer.nodes_on[0][slot] = AnyOf(0, s.groups[0].nodes, random);
    if (plan::Violations(s, {}, fewer).empty()) plan = fewer;
  }
  return plan;
}

}  // namespace heliostat::milp::testing
