#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heliostat {

// Looks up an environment variable; nothing when it is not set. Passed in, so
// that tests and a daemon's configuration can stand in for the process's own.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;

// The process's own environment.
Environment ProcessEnvironment();

// All of it, as "NAME=value", for a program that is started with it.
std::vector<std::string> ProcessVariables();

}  // namespace heliostat
