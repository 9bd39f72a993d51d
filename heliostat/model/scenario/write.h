#pragma once

#include <string>
#include <vector>

#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// A file to write.
struct File {
  std::string name;
  std::string text;
};

// The files of a scenario, as ReadText() reads them; scenario.toml is the last. Reading them gives an equal scenario if
// its numbers are exact in the units of the files (g/kWh, kW, ms); otherwise numbers may differ in the last digit.
// Fails for a scenario that Validate() refuses, and for a step that a scenario file cannot express.
Result<std::vector<File>> ToFiles(const Scenario& scenario);

// Writes these files into a folder; makes it if it does not exist. Each file is replaced as a whole or not at all.
Status WriteFiles(const Scenario& scenario, const std::string& folder);

}  // namespace heliostat::scenario
