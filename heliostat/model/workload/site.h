#pragma once

#include "heliostat/model/scenario/scenario.h"
#include "heliostat/model/workload/to_scenario.h"

namespace heliostat::workload {

// Carbon and prices of the recipe's zone, or of the signals that stand in for it, on the scenario's slots; the currency
// with them.
Status AddGrid(const ScenarioRecipe& recipe, scenario::Scenario& scenario);

// On-site power. Needs groups, training profiles and jobs, which say what the cluster draws.
Status AddRenewable(const ScenarioRecipe& recipe, scenario::Scenario& scenario);

// Services with a rate that follows the day, shared out among the library's models that every group can serve.
void AddServices(const ScenarioRecipe& recipe, scenario::Scenario& scenario);

// GPUs of all groups together, and GPU-hours of the horizon.
double AllGpus(const scenario::Scenario& scenario);
double AllGpuHours(const scenario::Scenario& scenario);

}  // namespace heliostat::workload
