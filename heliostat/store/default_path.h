#pragma once

#include <functional>
#include <optional>
#include <string>

#include "heliostat/core/error.h"

namespace heliostat::store {

// The value of an environment variable, nothing when it is not set.
using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;

// Where the signal store is: $HELIOSTAT_STORE, else
// $XDG_CACHE_HOME/heliostat/signals.db, else ~/.cache/heliostat/signals.db. An
// empty variable counts as not set, and so does an XDG_CACHE_HOME that is not
// absolute, as the XDG base directory specification asks.
Result<std::string> DefaultStorePath(const EnvironmentLookup& lookup);

}  // namespace heliostat::store
