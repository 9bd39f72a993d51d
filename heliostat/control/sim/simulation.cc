#include "heliostat/control/sim/simulation.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "heliostat/base/core/check.h"
#include "heliostat/control/loop/decision_log.h"
#include "heliostat/control/sim/outlook.h"
#include "heliostat/control/sim/world.h"
#include "heliostat/planning/plan/performance.h"

namespace heliostat::sim {
namespace {

double PerformanceOf(const scenario::Scenario& scenario, const SimulatedRun& run) {
  const bool throughput = scenario.performance == scenario::Performance::kThroughput;
  double sum = 0.0;
  std::map<std::string, double> references;  // many jobs share few models
  for (std::size_t j = 0; j < run.jobs.size(); ++j) {
    const std::string& model = scenario.jobs[j].model;
    if (throughput) {
      auto reference = references.find(model);
      if (reference == references.end()) {
        reference = references.emplace(model, scenario.ReferenceSamplesPerS(model)).first;
      }
      sum += run.jobs[j].samples_done / reference->second / 3600.0;
    } else {
      sum += plan::JobHeadroom(scenario, j, run.jobs[j].plan);
    }
  }
  for (std::size_t s = 0; s < run.services.size(); ++s) {
    const plan::ServicePlan plan{run.services[s].slots};
    sum += throughput ? plan::ServiceGpuHours(scenario, s, plan) : plan::ServiceHeadroom(scenario, s, plan);
  }
  const std::size_t count = run.jobs.size() + run.services.size();
  return throughput || count == 0 ? sum : sum / static_cast<double>(count);
}

// What watches a simulation, and what it is told.
struct Watchers {
  loop::StepListener* listener;
  const SlotProgress& progressed;
  bool knows_all;  // the foresight does, so that a plan can be compared with the run
};

SimulatedRun Drive(const scenario::Scenario& scenario, policy::Policy& policy, loop::MovingOutlook& outlook,
                   policy::Planning& planning, const SimulationOptions& options, const Watchers& watchers) {
  const auto begun = std::chrono::steady_clock::now();
  SimulatedWorld world(scenario, options);
  loop::Driver driver(world, outlook, policy, watchers.listener, &planning);
  std::size_t slots_done = 0;
  do {
    driver.Step();
    const std::size_t slot = scenario.SlotAt(world.now());
    if (slot == slots_done) continue;
    slots_done = slot;
    if (watchers.progressed) watchers.progressed(slots_done);
  } while (driver.Wait());
  if (watchers.progressed) watchers.progressed(scenario.slots);
  Check(driver.violations() == 0, "the policy gave orders that break the rules for policies");
  SimulatedRun run = world.Finish();
  run.performance = PerformanceOf(scenario, run);
  run.plans = policy.Plans().plans;
  if (watchers.knows_all) run.own_plan = policy.Plans().first;
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return run;
}

// Whether jobs or nodes may behave otherwise than planned.
bool HasSurprises(const SimulationOptions& options) {
  const Faults& faults = options.faults;
  return options.estimate_error > 0.0 || faults.node_mtbf > Duration{0} || faults.gpu_mtbf > Duration{0} ||
         faults.wake_failure > 0.0 || !options.requests.empty();
}

}  // namespace

SimulatedRun Simulate(const scenario::Scenario& scenario, policy::Policy& policy, Foresight& foresight,
                      const SimulationOptions& options, const SlotProgress& progressed) {
  SlotOutlook outlook(scenario, foresight, HasSurprises(options));
  policy::TimedPlanning planning(options.planning.time, options.planning.most_rounds);
  return Drive(scenario, policy, outlook, planning, options, {nullptr, progressed, foresight.KnowsAll()});
}

Result<SimulatedRun> SimulateLogged(const scenario::Scenario& scenario, policy::Policy& policy, Foresight& foresight,
                                    const SimulationOptions& options, const LogTarget& target,
                                    const SlotProgress& progressed) {
  SlotOutlook outlook(scenario, foresight, HasSurprises(options));
  loop::RecordingOutlook recording(outlook);
  policy::TimedPlanning planning(options.planning.time, options.planning.most_rounds);
  loop::RecordingPlanning plans(planning);
  auto log = loop::DecisionLog::Create(target.path, target.policy_name, target.policy_options, recording, plans);
  if (!log) return Propagate(log);
  SimulatedRun run = Drive(scenario, policy, recording, plans, options, {log->get(), progressed, foresight.KnowsAll()});
  run.policy = target.policy_name;
  if (const auto closed = (*log)->Close(); !closed) return Propagate(closed);
  return run;
}

}  // namespace heliostat::sim
