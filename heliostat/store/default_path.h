#pragma once

#include <string>

#include "heliostat/core/environment.h"
#include "heliostat/core/error.h"

namespace heliostat::store {

// Where the signal store is: $HELIOSTAT_STORE, else
// $XDG_CACHE_HOME/heliostat/signals.db, else ~/.cache/heliostat/signals.db. An
// empty variable counts as not set, and so does an XDG_CACHE_HOME that is not
// absolute, as the XDG base directory specification asks.
Result<std::string> DefaultStorePath(const Environment& lookup);

}  // namespace heliostat::store
