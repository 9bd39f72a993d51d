#pragma once

#include <optional>
#include <vector>

#include "heliostat/forecasting/forecast/error_record.h"
#include "heliostat/forecasting/forecast/history.h"

namespace heliostat::forecast {

// The distance of forecasts that enter the error record: `every`, unless that is less than a day. Then some forecasts
// are skipped, so that a record of fixed size covers weeks, at a distance that includes every time of day.
Duration RecordSpacing(Duration every);

// The number of forecasts in a record: those of one season. With more, errors of last winter would determine bands in
// summer.
std::size_t RecordCapacity(Duration every);

// The origins of rehearsals before origins at a distance of `every` from `first` on, oldest first. If `every` is whole
// days, rehearsals are at the same time of day on up to 90 days; else there are up to 200 within 60 days. Before the
// first rehearsal there is enough history to fit on (`train`, or half of all when there is no such window or it leaves
// too few rehearsals) and at least one horizon. Empty when the history is too short.
std::vector<Instant> RehearsalOrigins(const History& all, Instant first, Duration every, Duration horizon,
                                      std::optional<Duration> train);

// Relative for carbon intensities that were never zero or negative, absolute otherwise.
ErrorScale ScaleOf(const History& past);

// The errors of `yesterday` inside a history (of the last value, where less than a day is known). Bands use them until
// a model has errors of its own.
ErrorRecord ErrorsOfYesterday(const History& past, std::size_t steps);

// The newest value at the time of day of `t` that is known at `origin`; NaN when there is none or it is missing.
double YesterdayOf(const signal::StepSeries& series, Instant t, Instant origin);

}  // namespace heliostat::forecast
