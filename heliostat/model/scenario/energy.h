#pragma once

#include "heliostat/model/account/balance.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// What a group did in a stretch of time. Node- and GPU-seconds, not counts, so that parts of a slot add up to the slot.
struct GroupUse {
  Seconds nodes_on{};   // node-seconds
  Seconds nodes_off{};  // node-seconds
  Seconds busy_gpus{};  // GPU-seconds that train or serve; the rest of nodes_on idles
  Joules running;       // of those busy GPUs
  int wake_ups = 0;
};

// IT energy of a group: base of nodes on, sleep of nodes off, idle GPUs of nodes on, running work, wake-ups
// (wake_energy and wake_time of node_base each).
Joules ItEnergy(const Group& group, const GroupUse& use);

// IT power that the whole cluster can never exceed, wake-ups aside: every node on, every GPU at its hungriest point.
Watts MostPower(const Site& site);

// What a slot is supplied with.
account::Supply SupplyOf(const Scenario& scenario, std::size_t slot);

}  // namespace heliostat::scenario
