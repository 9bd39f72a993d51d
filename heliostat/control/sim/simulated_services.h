#pragma once

#include <map>
#include <span>
#include <vector>

#include "heliostat/control/policy/observation.h"
#include "heliostat/control/sim/service_queue.h"
#include "heliostat/control/sim/simulated_nodes.h"

namespace heliostat::sim {

// The services of a simulated cluster: the place of their replicas, their power and their latencies. Not thread-safe.
class SimulatedServices {
 public:
  // `requests` has traces by the index of the service; services without one follow their rates. All arguments must
  // outlive it.
  SimulatedServices(const scenario::Scenario& scenario, const std::map<std::size_t, Requests>& requests,
                    SimulatedNodes& nodes);

  bool empty() const { return states_.empty(); }
  std::span<const policy::ServiceState> states() const { return states_; }
  void BeginSlot(std::size_t slot, Instant now);
  void EndSlot(Instant now);
  // Carries out the order. When too few GPUs are free, the service gets as many replicas as fit.
  void Serve(const policy::ServiceOrder& order, Instant now);
  // Moves replicas from the node to other nodes that are up until it has `gpus` free. Moving costs nothing, as in
  // plans. False, without a change, when that is not possible.
  bool MakeRoom(std::size_t group, int node, int gpus);
  // Removes the replicas on the node; the other replicas stay. The next order for the service replaces them.
  void LoseNode(std::size_t group, int node, Instant now);
  // IT power of all replicas in the group at the present rates.
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
