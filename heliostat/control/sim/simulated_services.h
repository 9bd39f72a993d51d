#pragma once

#include <map>
#include <span>
#include <vector>

#include "heliostat/control/policy/observation.h"
#include "heliostat/control/sim/service_queue.h"
#include "heliostat/control/sim/simulated_nodes.h"

namespace heliostat::sim {

// The services of a simulated cluster: where their replicas are, what they draw, and what becomes of their requests.
// Not safe for several threads.
class SimulatedServices {
 public:
  // Requests one by one for services by their index; the others follow their rates. All outlive it.
  SimulatedServices(const scenario::Scenario& scenario, const std::map<std::size_t, Requests>& requests,
                    SimulatedNodes& nodes);

  bool empty() const { return states_.empty(); }
  std::span<const policy::ServiceState> states() const { return states_; }
  void BeginSlot(std::size_t slot, Instant now);
  void EndSlot(Instant now);
  // With as many replicas as there is room for: one too few is better than none.
  void Serve(const policy::ServiceOrder& order, Instant now);
  // Replicas on the node are gone until the service is ordered anew; the others go on.
  void LoseNode(std::size_t group, int node, Instant now);
  Watts PowerIn(std::size_t group) const;
  std::vector<ServiceRun> Finish();

 private:
  const scenario::Scenario& scenario_;
  SimulatedNodes& nodes_;
  std::vector<policy::ServiceState> states_;
  std::vector<Holds> replicas_;  // [service]
  std::vector<ServiceQueue> queues_;
};

}  // namespace heliostat::sim
