#pragma once

#include <optional>
#include <vector>

#include "heliostat/control/policy/lookahead.h"

namespace heliostat::policy {

// What the plan in force says about services and nodes, slot by slot, and the orders that follow from it. Not safe for
// several threads.
class SlotPlan {
 public:
  void Adopt(const Observation& observation, const Lookahead& lookahead, const plan::Plan& plan);
  // Where there is no plan: every node stays on in this slot, and services follow their load.
  void KeepAllOn(const Observation& observation);

  // Nothing was ever planned.
  bool IsEmpty() const { return nodes_on_.empty(); }
  // Whether it says anything about the slot.
  bool Covers(std::size_t slot) const;
  // Whether it counts on more nodes in this slot than there are.
  bool LacksNodes(const Observation& observation) const;
  // A service whose rate is not the one planned for gets the least power that keeps its latency, in the planned group
  // where possible.
  void OrderServices(const Observation& observation, Decision& decision) const;
  // [group]: nodes that must be on now, for slots that begin before a node could wake, and for GPUs that are `missing`.
  std::vector<int> NodesOn(const Observation& observation, const std::vector<int>& missing) const;
  // When a node must begin to wake next; nothing when none has to.
  std::optional<Instant> NextWake(const Observation& observation) const;

 private:
  struct Planned {
    Serving serving;
    double requests_per_s = 0.0;  // for which that is
  };
  const Planned* PlannedFor(std::size_t service, std::size_t slot) const;

  std::size_t first_slot_ = 0;
  std::vector<std::vector<Planned>> services_;  // [service][slot from the first]
  std::vector<std::vector<int>> nodes_on_;      // [group][slot from the first]
};

}  // namespace heliostat::policy
