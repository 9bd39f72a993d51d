#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heliostat {

// Looks up an environment variable; std::nullopt when it is not set or empty. An argument and not a global, so that a
// test or the configuration of a daemon can replace the environment of the process.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The environment of this process, read at each lookup. An empty variable counts as not set.
Environment ProcessEnvironment();

// All variables of this process as "NAME=value", to start another program with.
std::vector<std::string> ProcessVariables();

}  // namespace heliostat
