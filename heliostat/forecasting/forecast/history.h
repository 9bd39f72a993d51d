#pragma once

#include <vector>

#include "heliostat/signals/signal/signal.h"

namespace heliostat::forecast {

// Forecasts of the target by others, for example a provider. Either whole runs, or values that were each issued a fixed
// time, `signal.meaning.lead`, before their own time.
struct Issued {
  signal::Signal signal;
  std::vector<signal::ForecastRun> runs;  // oldest first; empty when all values have the same lead
};

// What is known at an origin: the series to forecast and the other columns of its file. All sources share the start and
// step of the target.
struct History {
  signal::Signal target;
  std::vector<signal::Signal> sources;  // generation by source, when the file has it
  std::vector<Issued> issued;           // forecasts of the target by others

  // The origin: all known values are before it.
  Instant end() const { return target.series.end(); }
  Duration step() const { return target.series.step(); }
};

// `all` as it was known at `origin`: nothing measured at or after `origin`, nothing issued after it. Backtests see the
// data through this function only.
Result<History> Before(const History& all, Instant origin);

// The last `length` of a history, in whole steps, or all of it when it is shorter.
Result<History> Newest(const History& all, Duration length);

}  // namespace heliostat::forecast
