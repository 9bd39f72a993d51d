#pragma once

#include <string>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

struct File {
  std::string name;
  std::string text;
};

// The files that state a scenario, as ReadText() takes them, scenario.toml last. What is read back is equal if the
// scenario's numbers are such as files can hold in their own units (g/kWh, kW, ms); else it differs in the last digit.
// Refuses what Validate() refuses, and slots that no scenario file can state.
Result<std::vector<File>> ToFiles(const Scenario& scenario);

// Writes them into a folder, which is made if need be. Each is replaced as a whole or not at all.
Status WriteFiles(const Scenario& scenario, const std::string& folder);

}  // namespace heliostat::scenario
