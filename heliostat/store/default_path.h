#pragma once

#include <string>

#include "heliostat/core/environment.h"
#include "heliostat/core/error.h"

namespace heliostat::store {

// Where the signal store is: $HELIOSTAT_STORE, else signals.db in the user's cache (HomePath() has the rules).
Result<std::string> DefaultStorePath(const Environment& environment);

}  // namespace heliostat::store
