#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "heliostat/control/policy/policy.h"
#include "heliostat/control/sim/foresight.h"
#include "heliostat/control/sim/requests.h"
#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// What goes wrong, and how often. Zero: never.
struct Faults {
  Duration node_mtbf{0};  // mean time between failures of one node that is up
  Duration gpu_mtbf{0};   // of one GPU of such a node
  Duration repair{std::chrono::hours{4}};
  Duration checkpoint{
      std::chrono::minutes{30}};  // a job that fails goes back to its last one; in one piece: to nothing
  double wake_failure = 0.0;      // share of wake-ups after which the node needs repair
};

// How long policies that plan take over it. By default plans are there at once, as good as they get.
struct PlanningLimits {
  Duration time{0};  // simulated, of every plan
  int most_rounds = std::numeric_limits<int>::max();
};

struct SimulationOptions {
  std::uint64_t seed = 1;
  // True samples of a job are exp(N(-e^2/2, e)) times what its user said: right on average.
  double estimate_error = 0.0;
  Faults faults;
  policy::Capabilities capabilities{};
  PlanningLimits planning;
  // Requests one by one, for services by their index; the others follow their rates.
  std::map<std::size_t, Requests> requests;
};

// The scenario under one policy, event by event: deterministic in all of its arguments. The policy sees jobs when they
// come, signals when they are measured, and beyond that what `foresight` tells it.
SimulatedRun Simulate(const scenario::Scenario& scenario, policy::Policy& policy, Foresight& foresight,
                      const SimulationOptions& options);

// Where a decision log goes and which policy it says it is of.
struct LogTarget {
  std::string path;
  std::string policy_name;
  policy::PolicyOptions policy_options;
};
// The same, with every observation and decision written to a decision log. Fails when that cannot be written.
Result<SimulatedRun> SimulateLogged(const scenario::Scenario& scenario, policy::Policy& policy, Foresight& foresight,
                                    const SimulationOptions& options, const LogTarget& target);

}  // namespace heliostat::sim
