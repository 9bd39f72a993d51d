#pragma once

#include "heliostat/model/scenario/scenario.h"
#include "heliostat/model/workload/catalogue.h"
#include "heliostat/model/workload/to_scenario.h"

namespace heliostat::workload {

// Sets carbon, prices and currency per slot, from the recipe's zone or from its own signals.
Status AddGrid(const ScenarioRecipe& recipe, scenario::Scenario& scenario);

// Sets on-site power. The scenario must have groups, training profiles and jobs, which give the power of the cluster.
Status AddRenewable(const ScenarioRecipe& recipe, scenario::Scenario& scenario);

// Adds services whose rate follows the day. They use, in turn, the models that groups can serve; none where there are
// no such models.
void AddServices(const ScenarioRecipe& recipe, const Catalogue& catalogue, scenario::Scenario& scenario);

// GPUs of all groups, and their GPU-hours in the horizon.
double AllGpus(const scenario::Scenario& scenario);
double AllGpuHours(const scenario::Scenario& scenario);

}  // namespace heliostat::workload
