#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "heliostat/model/scenario/past.h"
#include "heliostat/model/scenario/paths.h"
#include "heliostat/model/scenario/scenario.h"

namespace heliostat::scenario {

// Reads a scenario file (TOML) and the tables that it names, paths relative to the file. Signals on another step are
// averaged over the scenario's slots; hours that are missing are an error. The first thing wrong is one line with file
// and row; nothing is guessed.
Result<Scenario> Read(const std::string& path);

// Where the tables' text comes from, by path.
using FileSource = std::function<Result<std::string>(const std::string& path)>;

// The same for a scenario that is in memory already. `name` is for messages, and its folder is put in front of the
// paths that `files` is asked for.
Result<Scenario> ReadText(std::string_view toml, const std::string& name, const FileSource& files);

// A scenario, the ways in which its signals may turn out, where its files name some, and what its files say of the
// time before it.
struct WithPaths {
  Scenario scenario;
  Paths paths;
  Past past;
};
Result<WithPaths> ReadTextWithPaths(std::string_view toml, const std::string& name, const FileSource& files);

}  // namespace heliostat::scenario
