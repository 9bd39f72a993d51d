#pragma once

#include <string>
#include <vector>

#include "heliostat/control/sim/simulation.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::cli {

// Applies the values of --requests, such as "chat=azure.csv": the simulation gets each request of the trace, repeated
// until the horizon ends, and the service in `scenario` gets the rates of the trace. Adds the files to `inputs`. Fails
// for an unknown service, a trace that cannot be read, and more than 1e8 requests.
Status UseRequests(const std::vector<std::string>& wishes, scenario::Scenario& scenario,
                   sim::SimulationOptions& options, std::vector<std::string>& inputs);

}  // namespace heliostat::cli
