#pragma once

#include <string>

#include "heliostat/base/core/environment.h"
#include "heliostat/base/core/error.h"

namespace heliostat::store {

// The path of the signal store: $HELIOSTAT_STORE, else signals.db in the cache folder of the user (see HomePath()).
Result<std::string> DefaultStorePath(const Environment& environment);

}  // namespace heliostat::store
