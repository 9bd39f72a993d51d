#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::store {

// Where the signal store is: $HELIOSTAT_STORE, else signals.db in the user's cache (HomePath() has the rules).
Result<std::string> DefaultStorePath(const Environment& environment);

}  // namespace heliostat::store
