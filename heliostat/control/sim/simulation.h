#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "heliostat/control/policy/policy.h"
#include "heliostat/control/sim/foresight.h"
#include "heliostat/control/sim/requests.h"
#include "heliostat/control/sim/run.h"

namespace heliostat::sim {

// Which faults happen, and how often. Zero means never.
struct Faults {
  Duration node_mtbf{0};  // mean time between failures of one node that is up
  Duration gpu_mtbf{0};   // of one GPU of such a node
  Duration repair{std::chrono::hours{4}};
  // Interval of checkpoints. A job that a failure interrupts continues from its last one; a job that is not
  // preemptible starts again from zero.
  Duration checkpoint{std::chrono::minutes{30}};
  double wake_failure = 0.0;  // share of wake-ups that fail: the node needs repair
};

// Limits on plans. By default a plan takes no simulated time and any number of rounds.
struct PlanningLimits {
  Duration time{0};  // simulated time until a plan arrives
  int most_rounds = std::numeric_limits<int>::max();
};

// How to simulate.
struct SimulationOptions {
  std::uint64_t seed = 1;
  // The true samples of a job are exp(N(-e^2/2, e)) times the user's estimate, with e this error. The mean factor is 1.
  double estimate_error = 0.0;
  Faults faults;
  policy::Capabilities capabilities{.place = true};
  PlanningLimits planning;
  // Traces by the index of the service; services without one follow their rates.
  std::map<std::size_t, Requests> requests;
};

// Called with the number of slots that have been simulated, each time another one begins.
using SlotProgress = std::function<void(std::size_t slots_done)>;

// Simulates the scenario under one policy, event by event. Equal arguments give equal results. The policy sees jobs
// when they arrive, signals when they are measured, and the future as `foresight` gives it.
SimulatedRun Simulate(const scenario::Scenario& scenario, policy::Policy& policy, Foresight& foresight,
                      const SimulationOptions& options, const SlotProgress& progressed = {});

// The file of a decision log, and the policy named in it.
struct LogTarget {
  std::string path;
  std::string policy_name;
  policy::PolicyOptions policy_options;
};
// The same, and writes every observation and decision to a decision log. Fails when the log cannot be written.
Result<SimulatedRun> SimulateLogged(const scenario::Scenario& scenario, policy::Policy& policy, Foresight& foresight,
                                    const SimulationOptions& options, const LogTarget& target,
                                    const SlotProgress& progressed = {});

}  // namespace heliostat::sim
