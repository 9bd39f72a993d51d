#pragma once

#include <string>

#include "heliostat/scenario/scenario.h"

namespace heliostat::scenario {

// Reads a scenario file (TOML) and the tables that it names, paths relative to the file. Signals on another step are
// averaged over the scenario's slots; hours that are missing are an error. The first thing wrong is one line with file
// and row; nothing is guessed.
Result<Scenario> Read(const std::string& path);

}  // namespace heliostat::scenario
