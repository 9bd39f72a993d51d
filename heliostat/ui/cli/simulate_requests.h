#pragma once

#include <string>
#include <vector>

#include "heliostat/control/sim/simulation.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::cli {

// "chat=azure.csv": the service's requests come one by one as the trace has them, repeated until the horizon ends, and
// its rates are the trace's. Files are added to `inputs`.
Status UseRequests(const std::vector<std::string>& wishes, scenario::Scenario& scenario,
                   sim::SimulationOptions& options, std::vector<std::string>& inputs);

}  // namespace heliostat::cli
