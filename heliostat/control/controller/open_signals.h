#pragma once

#include "heliostat/base/core/clock.h"
#include "heliostat/base/core/environment.h"
#include "heliostat/control/controller/config.h"
#include "heliostat/control/controller/signal_outlook.h"

namespace heliostat::controller {

// Opens the signals that the config names. A provider is asked in the background; a file must be there, and must cover
// the present time or the replay. `clock` must outlive the signals and be thread-safe.
Result<Signals> OpenConfigured(const Config& config, Instant begun, const Environment& environment, const Clock& clock);

}  // namespace heliostat::controller
