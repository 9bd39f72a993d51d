#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "heliostat/model/scenario/past.h"
#include "heliostat/model/scenario/paths.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// Reads a scenario file (TOML) and the tables that it names; their paths are relative to the file. Signals with another
// step are averaged over the slots of the scenario. Missing values in the horizon are an error. Fails at the first
// error, with file and row.
Result<Scenario> Read(const std::string& path);

// Returns the text of a file by its path.
using FileSource = std::function<Result<std::string>(const std::string& path)>;

// The same for a scenario file in memory. `name` is its name in messages; paths passed to `files` begin with its
// folder.
Result<Scenario> ReadText(std::string_view toml, const std::string& name, const FileSource& files);

// A scenario, its possible futures if its files have some, and the measurements before its start.
struct WithPaths {
  Scenario scenario;
  Paths paths;
  Past past;
};
Result<WithPaths> ReadTextWithPaths(std::string_view toml, const std::string& name, const FileSource& files);

}  // namespace heliostat::scenario
