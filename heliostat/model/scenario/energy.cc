#include "heliostat/model/scenario/energy.h"

#include <algorithm>

namespace heliostat::scenario {

Joules ItEnergy(const Group& group, const GroupUse& use) {
  // Never negative, so that a plan that uses more GPUs than are on does not look cheaper.
  const Seconds idle_gpus = std::max(Seconds{}, use.nodes_on * group.gpus_per_node - use.busy_gpus);
  const Joules wake_up = group.wake_energy + group.node_base * Seconds(group.wake_time);
  return group.node_base * use.nodes_on + group.node_sleep * use.nodes_off + group.gpu_idle * idle_gpus + use.running +
         wake_up * use.wake_ups;
}

Watts MostPower(const Site& site) {
  Watts most;
  for (const Group& group : site.groups) {
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

account::Supply SupplyOf(const Scenario& scenario, std::size_t slot) {
  account::Supply supply;
  supply.grid = scenario.carbon[slot];
  supply.renewable = scenario.renewable[slot] * Seconds(scenario.step);
  supply.renewable_carbon = scenario.renewable_carbon;
  supply.price_per_kwh = scenario.price_per_kwh.empty() ? 0.0 : scenario.price_per_kwh[slot];
  supply.pue = scenario.pue;
  return supply;
}

}  // namespace heliostat::scenario
