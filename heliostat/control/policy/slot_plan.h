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
  void OrderServices(const Observation& observation, ChoiceTable& book, Decision& decision) const;
  // Orders nodes: those that are planned to be on now, also for slots that begin before a node could wake, and as many
  // as the jobs and services need after the orders in `decision`. In a world that places jobs on named nodes, it names
  // them: nodes in use first, then those that the plan uses soonest.
  void OrderNodes(const Observation& observation, ChoiceTable& book, Decision& decision) const;
  // When the next node must begin to wake. Nothing when none has to.
  std::optional<Instant> NextWake(const Observation& observation) const;

 private:
  struct Planned {
    Serving serving;
    double requests_per_s = 0.0;  // the rate planned for
  };
  const Planned* PlannedFor(std::size_t service, std::size_t slot) const;
  // [group]: nodes that are planned to be on, from now until a node that wakes now would be up.
  std::vector<int> PlannedOn(const Observation& observation) const;
  // When jobs are on the node next. The end of time when the plan does not use it again.
  Instant NextUse(std::size_t group, std::size_t node, Instant now) const;

  std::size_t first_slot_ = 0;
  bool is_certain_ = false;                     // the plan was made with a certain forecast, so its GPUs are up in time
  std::vector<std::vector<Planned>> services_;  // [service][slot from the first]
  std::vector<std::vector<int>> nodes_on_;      // [group][slot from the first]
  std::vector<std::vector<std::vector<Interval>>> uses_;  // [group][node]: when jobs are there, by begin
};

}  // namespace heliostat::policy
