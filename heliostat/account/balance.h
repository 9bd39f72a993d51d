#pragma once

#include "heliostat/scenario/scenario.h"

namespace heliostat::account {

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
Joules ItEnergy(const scenario::Group& group, const GroupUse& use);

// Mean power of a GPU that serves: idle + utilisation * (busy - idle).
Watts ServingPower(Watts idle, Watts busy, double utilisation);

// IT power that the whole cluster can never exceed, wake-ups aside: every node on, every GPU at its hungriest point.
Watts MostPower(const scenario::Site& site);

// What a slot is supplied with.
struct Supply {
  CarbonIntensity grid;
  Joules renewable;  // on-site energy in this stretch of time
  CarbonIntensity renewable_carbon;
  double price_per_kwh = 0.0;
  double pue = 1.0;
};
Supply SupplyOf(const scenario::Scenario& scenario, std::size_t slot);

// Energy, carbon and cost: the one place where they are computed. Additive.
struct Balance {
  Joules it;
  Joules facility;
  Joules grid;
  Joules renewable_used;
  Grams carbon;
  double cost = 0.0;  // in the scenario's currency

  Balance& operator+=(const Balance& other);
};

// Renewable first, grid for the rest; what is not used is lost.
Balance Settle(Joules it, const Supply& supply);

}  // namespace heliostat::account
