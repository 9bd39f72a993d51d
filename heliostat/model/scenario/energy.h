#pragma once

#include "heliostat/model/account/energy_carbon_cost.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// What a group did in a span of time. In node-seconds and GPU-seconds, not counts, so that parts of a slot add up to
// the slot.
struct GroupUse {
  Seconds nodes_on{};   // node-seconds
  Seconds nodes_off{};  // node-seconds
  Seconds busy_gpus{};  // GPU-seconds that train or serve; the other GPUs of nodes_on are idle
  Joules running;       // of the busy GPUs
  int wake_ups = 0;
};

// IT energy of a group: base power of nodes on, sleep power of nodes off, idle GPUs of nodes on, busy GPUs, and
// wake-ups (wake_energy, plus node_base during wake_time).
Joules ItEnergy(const Group& group, const GroupUse& use);

// The most IT power of the whole cluster, without wake-ups: every node on, every GPU at the point with the most power.
Watts MostPower(const Site& site);

// The supply of a slot.
account::Supply SupplyOf(const Scenario& scenario, std::size_t slot);

}  // namespace heliostat::scenario
