#include "heliostat/control/sim/comparison.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace heliostat::sim {
namespace {

Result<SimulatedRun> RunOne(const scenario::Scenario& scenario, policy::Policy& policy, Foresight& foresight,
                            const CompareOptions& options, const std::string& name) {
  if (options.decision_log.empty()) {
    SimulatedRun run = Simulate(scenario, policy, foresight, options.world);
    run.policy = name;
    return run;
  }
  return SimulateLogged(scenario, policy, foresight, options.world, {options.decision_log, name, options.policy});
}

}  // namespace

Result<Comparison> Compare(const scenario::Scenario& scenario, Foresight& foresight, const CompareOptions& options,
                           const ComparisonProgress& progressed) {
  std::vector<std::unique_ptr<policy::Policy>> policies;
  for (const std::string& name : options.policies) {
    auto policy = policy::Make(name, options.policy);
    if (!policy) return Propagate(policy);
    policies.push_back(std::move(*policy));
  }
  Comparison comparison;
  comparison.runs.resize(policies.size());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t done = 0;
  Status logged;
  const auto work = [&] {
    for (std::size_t i = next++; i < policies.size(); i = next++) {
      auto run = RunOne(scenario, *policies[i], foresight, options, options.policies[i]);
      const std::lock_guard lock(mutex);
      if (run) {
        comparison.runs[i] = *std::move(run);
      } else {
        logged = Propagate(run);
      }
      ++done;
      if (progressed) progressed(static_cast<double>(done) / static_cast<double>(policies.size()), options.policies[i]);
    }
  };
  const unsigned wanted = options.threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : options.threads;
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min<std::size_t>(wanted, policies.size()); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (!logged) return Propagate(logged);
  for (const SimulatedRun& run : comparison.runs) comparison.figures.push_back(FiguresOf(scenario, run));
  if (options.with_bound) comparison.bound = LowestPossible(scenario, comparison.runs);
  return comparison;
}

}  // namespace heliostat::sim
