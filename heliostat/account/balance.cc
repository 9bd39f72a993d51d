#include "heliostat/account/balance.h"

#include <algorithm>

namespace heliostat::account {

Joules ItEnergy(const scenario::Group& group, const GroupUse& use) {
  // Never negative: a plan that uses more GPUs than are on must not look cheaper for it.
  const Seconds idle_gpus = std::max(Seconds{}, use.nodes_on * group.gpus_per_node - use.busy_gpus);
  const Joules wake_up = group.wake_energy + group.node_base * Seconds(group.wake_time);
  return group.node_base * use.nodes_on + group.node_sleep * use.nodes_off + group.gpu_idle * idle_gpus + use.running +
         wake_up * use.wake_ups;
}

Watts ServingPower(Watts idle, Watts busy, double utilisation) { return idle + (busy - idle) * utilisation; }

Watts MostPower(const scenario::Site& site) {
  Watts most;
  for (const scenario::Group& group : site.groups) {
    Watts gpu = group.gpu_idle;
    for (const auto& entry : site.training.all()) {
      if (entry.first.second != group.gpu) continue;
      for (const auto& point : entry.second) gpu = std::max(gpu, point.power / point.workers);
    }
    for (const auto& entry : site.inference.all()) {
      if (entry.first.second != group.gpu) continue;
      for (const auto& point : entry.second) gpu = std::max(gpu, point.power);
    }
    most += (std::max(group.node_base, group.node_sleep) + gpu * group.gpus_per_node) * group.nodes;
  }
  return most;
}

Supply SupplyOf(const scenario::Scenario& scenario, std::size_t slot) {
  Supply supply;
  supply.grid = scenario.carbon[slot];
  supply.renewable = scenario.renewable[slot] * Seconds(scenario.step);
  supply.renewable_carbon = scenario.renewable_carbon;
  supply.price_per_kwh = scenario.price_per_kwh.empty() ? 0.0 : scenario.price_per_kwh[slot];
  supply.pue = scenario.pue;
  return supply;
}

Balance& Balance::operator+=(const Balance& other) {
  it += other.it;
  facility += other.facility;
  grid += other.grid;
  renewable_used += other.renewable_used;
  carbon += other.carbon;
  cost += other.cost;
  return *this;
}

Balance Settle(Joules it, const Supply& supply) {
  Balance balance;
  balance.it = it;
  balance.facility = it * supply.pue;
  balance.renewable_used = std::min(balance.facility, supply.renewable);
  balance.grid = balance.facility - balance.renewable_used;
  balance.carbon = balance.grid * supply.grid + balance.renewable_used * supply.renewable_carbon;
  balance.cost = InKilowattHours(balance.grid) * supply.price_per_kwh;
  return balance;
}

}  // namespace heliostat::account
