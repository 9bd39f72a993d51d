#pragma once

#include <optional>
#include <vector>

#include "heliostat/forecasting/forecast/error_record.h"
#include "heliostat/forecasting/forecast/history.h"

namespace heliostat::forecast {

// From one forecast that enters the error record to the next: `every`, unless
// that is less than a day. Then some are passed over, so that a record of fixed
// size spans weeks, and at a distance that visits every time of day.
Duration RecordSpacing(Duration every);

// How many forecasts a record holds: those of a season. More would let last
// winter speak for this summer.
std::size_t RecordCapacity(Duration every);

// When to rehearse forecasts for origins `every` from `first` on, oldest first:
// at the same times of day as they when those are whole days apart, on up to 90
// days, or up to 200 times on 60 days. Leaves before the first rehearsal enough
// to fit on (`train`, or half of all when there is no such window or it leaves no
// room) and a horizon. None when the history is too short.
std::vector<Instant> RehearsalOrigins(const History& all, Instant first, Duration every, Duration horizon,
                                      std::optional<Duration> train);

// Relative for carbon intensities that never touched zero, absolute otherwise.
ErrorScale ScaleOf(const History& past);

// The errors that `yesterday` would have made inside a history (the last value,
// where that is less than a day long): what bands rest on until a model has
// errors of its own.
ErrorRecord ErrorsOfYesterday(const History& past, std::size_t steps);

// The newest value at the time of day of `t` that was known at `origin`; NaN
// when there is none or it is missing.
double YesterdayOf(const signal::StepSeries& series, Instant t, Instant origin);

}  // namespace heliostat::forecast
