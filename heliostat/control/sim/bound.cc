#include "heliostat/control/sim/bound.h"

#include <algorithm>
#include <limits>

#include "heliostat/model/scenario/energy.h"
#include "heliostat/planning/decomposition/solve.h"

namespace heliostat::sim {
namespace {

// The largest product of jobs and slots for the decomposition. Beyond it, it takes too long, and the simple bound is
// used.
constexpr double kMostToPrice = 1e6;
// With more jobs, the plan that knows everything is not improved further.
constexpr std::size_t kMostToImprove = 200;
constexpr int kRounds = 20;

bool IsDoneByAll(const std::vector<SimulatedRun>& runs, std::size_t job) {
  return std::all_of(runs.begin(), runs.end(),
                     [job](const SimulatedRun& run) { return run.jobs[job].finish.has_value(); });
}

// The scenario, relaxed so that every run is a valid plan for it.
scenario::Scenario Relaxed(const scenario::Scenario& scenario, const std::vector<SimulatedRun>& runs) {
  scenario::Scenario relaxed = scenario;
  relaxed.jobs.clear();
  for (std::size_t j = 0; j < scenario.jobs.size(); ++j) {
    scenario::Job job = scenario.jobs[j];
    if (!IsDoneByAll(runs, j) || job.submit >= scenario.end()) continue;
    for (const SimulatedRun& run : runs) {
      // Estimates that were wrong, and work that was lost and repeated, do not count as work to be done.
      job.deadline = std::max(job.deadline.value_or(scenario.end()), *run.jobs[j].finish);
    }
    if (!job.deadline) job.deadline = scenario.end();
    relaxed.jobs.push_back(std::move(job));
  }
  for (std::size_t s = 0; s < scenario.services.size(); ++s) {
    scenario::Service& service = relaxed.services[s];
    for (std::size_t t = 0; t < scenario.slots; ++t) {
      const bool broken = std::any_of(runs.begin(), runs.end(), [&](const SimulatedRun& run) {
        const plan::ServiceSlot& slot = run.services[s].slots[t];
        return slot.latency > service.latency_slo || slot.replicas < service.min_replicas;
      });
      if (!broken) continue;
      service.requests_per_s[t] = 0.0;
      service.min_replicas = 0;
    }
  }
  return relaxed;
}

// The least energy of all jobs, less all on-site power, at the lowest price or intensity of any slot. For slots with a
// negative price, it assumes the most power.
Bound SimpleBound(const scenario::Scenario& scenario) {
  Joules least;
  for (const scenario::Job& job : scenario.jobs) {
    double joules_a_sample = std::numeric_limits<double>::infinity();
    for (std::size_t g = 0; g < scenario.groups.size(); ++g) {
      const auto& points = scenario.training.Of(job.model, scenario.groups[g].gpu);
      for (const std::size_t p : scenario.PointsFor(job, g)) {
        joules_a_sample = std::min(joules_a_sample, points[p].power.value / points[p].samples_per_s);
      }
    }
    least += Joules{joules_a_sample * job.samples};
  }
  Watts asleep;
  for (const scenario::Group& group : scenario.groups) {
    asleep += std::min(group.node_sleep, group.node_base) * group.nodes;
  }
  least += asleep * Seconds(scenario.step * static_cast<std::int64_t>(scenario.slots));
  Joules sun;
  for (const Watts power : scenario.renewable) sun += power * Seconds(scenario.step);
  const Joules grid = std::max(Joules{}, least * scenario.pue - sun);
  Bound bound;
  bound.carbon_kg = InKilograms(grid * *std::min_element(scenario.carbon.begin(), scenario.carbon.end()));
  if (!scenario.price_per_kwh.empty()) {
    const double price = *std::min_element(scenario.price_per_kwh.begin(), scenario.price_per_kwh.end());
    bound.cost = InKilowattHours(grid) * std::max(0.0, price);
    // 10 % more, for wake-ups.
    const double slot_kwh =
        1.1 * InKilowattHours(scenario::MostPower(scenario) * scenario.pue * Seconds(scenario.step));
    for (const double paid : scenario.price_per_kwh) bound.cost += std::min(0.0, paid) * slot_kwh;
  }
  return bound;
}

}  // namespace

Bound LowestPossible(const scenario::Scenario& scenario, const std::vector<SimulatedRun>& runs,
                     const std::function<void(int rounds_done)>& progressed) {
  const scenario::Scenario relaxed = Relaxed(scenario, runs);
  if (static_cast<double>(relaxed.jobs.size()) * static_cast<double>(relaxed.slots) > kMostToPrice) {
    return SimpleBound(relaxed);
  }
  // The search ends by itself, without a clock, so that equal input gives equal bounds.
  plan::Rounds rounds([&progressed](int done) {
    if (progressed) progressed(done);
    return true;
  });
  plan::Effort effort{.gap = 1e-3, .rounds = &rounds};
  auto improving = plan::Rounds::AtMost(kRounds);
  if (relaxed.jobs.size() <= kMostToImprove) effort.improving = &improving;
  Bound bound;
  const plan::Outcome carbon = decomposition::Solve({relaxed, {.carbon_kg = 1.0}, {}}, effort);
  bound.carbon_kg = std::max(0.0, carbon.bound);
  if (carbon.has_plan()) bound.planned_carbon_kg = carbon.value;
  if (!relaxed.price_per_kwh.empty()) {
    improving = plan::Rounds::AtMost(kRounds);
    const plan::Outcome cost = decomposition::Solve({relaxed, {.cost = 1.0}, {}}, effort);
    bound.cost = cost.bound;
    if (cost.has_plan()) bound.planned_cost = cost.value;
  }
  return bound;
}

}  // namespace heliostat::sim
