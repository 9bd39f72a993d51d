#pragma once

#include <optional>

#include "heliostat/base/io/time_zone.h"
#include "heliostat/signals/signal/signal.h"
#include "heliostat/signals/tariff/tariff.h"

namespace heliostat::tariff {

// The first tier of the tariff as a UTC series in money per kWh over `span`. Both ends of the span must be whole
// quarters of an hour, at most 100 years apart. Local days follow `zone`, else the zone of the tariff, else UTC with a
// note; days with a clock change have 23 or 25 hours. The step is the coarsest of 60, 30 and 15 minutes that shows
// every change of rate at its time. With a coarser `step` values are exact means, with a finer one repeats. A span
// outside the effective dates of the tariff is noted, not refused.
Result<signal::Signal> Expand(const Tariff& tariff, const Interval& span,
                              const std::optional<io::TimeZone>& zone = std::nullopt,
                              std::optional<Duration> step = std::nullopt);

}  // namespace heliostat::tariff
