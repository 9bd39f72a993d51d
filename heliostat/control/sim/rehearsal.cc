#include "heliostat/control/sim/rehearsal.h"

#include "heliostat/base/core/check.h"
#include "heliostat/control/policy/catalog.h"
#include "heliostat/control/sim/simulation.h"

namespace heliostat::sim {

std::vector<std::optional<Instant>> EndsUnderRunNow(const scenario::Scenario& scenario) {
  const auto policy = policy::Make("run-now", {});
  Check(policy.has_value(), "the policy run-now does not exist");
  const auto foresight = PerfectForesight(scenario, false);
  const SimulatedRun run = Simulate(scenario, **policy, *foresight, {});
  std::vector<std::optional<Instant>> ends;
  ends.reserve(run.jobs.size());
  for (const JobRun& job : run.jobs) ends.push_back(job.finish);
  return ends;
}

}  // namespace heliostat::sim
