#pragma once

#include <optional>

#include "heliostat/base/io/time_zone.h"
#include "heliostat/signals/signal/signal.h"
#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// The tariff's first tier as a UTC series in money per kWh over `span`, whose ends
// lie on whole quarters of an hour. Local days follow `zone`, or the tariff's own
// zone, or UTC with a note; on the days that clocks change they have 23 or 25 hours.
// The step is the coarsest of 60, 30 and 15 minutes that shows every change of rate
// where it happens; a coarser `step` gives exact means, a finer one repeats. A span
// outside the dates that the tariff is effective for is noted, not refused.
Result<signal::Signal> Expand(const Tariff& tariff, const Interval& span,
                              const std::optional<io::TimeZone>& zone = std::nullopt,
                              std::optional<Duration> step = std::nullopt);

}  // namespace heliostat::tariff
