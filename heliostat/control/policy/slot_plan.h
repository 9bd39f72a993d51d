#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/lookahead.h"

namespace heliostat::policy {

// The part of the plan in force that concerns services and nodes, per slot, and the orders that follow from it. Not
// thread-safe.
class SlotPlan {
 public:
  // `observation` is the one that the plan was made from.
  void Adopt(const Observation& observation, const Lookahead& lookahead, const plan::Plan& plan);
  // For use without a plan: every node stays on in this slot, and services follow their load.
  void KeepAllOn(const Observation& observation);

  // True before the first Adopt() or KeepAllOn().
  bool IsEmpty() const { return nodes_on_.empty(); }
  // Whether it has values for the slot.
  bool Covers(std::size_t slot) const;
  // Whether it uses more nodes in this slot than work now.
  bool LacksNodes(const Observation& observation) const;
  // Orders each service as planned. A service whose rate differs from the planned one gets the option with the least
  // power that keeps its latency, in the planned group where possible.
  void OrderServices(const Observation& observation, Decision& decision) const;
  // [group]: nodes that must be on now, also for slots that begin before a node could wake. `missing` is the number of
  // additional GPUs per group that the orders of this call need.
  std::vector<int> NodesOn(const Observation& observation, const std::vector<int>& missing) const;
  // When the next node must begin to wake. Nothing when none has to.
  std::optional<Instant> NextWake(const Observation& observation) const;

 private:
  struct Planned {
    Serving serving;
    double requests_per_s = 0.0;  // the rate planned for
  };
  const Planned* PlannedFor(std::size_t service, std::size_t slot) const;

  std::size_t first_slot_ = 0;
  std::vector<std::vector<Planned>> services_;  // [service][slot from the first]
  std::vector<std::vector<int>> nodes_on_;      // [group][slot from the first]
};

}  // namespace heliostat::policy
