#pragma once

#include <vector>

#include "heliostat/signals/signal/signal.h"

namespace heliostat::forecast {

// What somebody else says about the target: a provider's forecast, as issued.
// Either whole runs, or values that were each issued a fixed `lead` before
// their time (as the target of meaning.lead).
struct Issued {
  signal::Signal signal;
  std::vector<signal::ForecastRun> runs;  // oldest first; empty: every value was issued `signal.meaning.lead` ahead
};

// What is known before an origin: the series to forecast and what stands beside
// it in its file. All series share the target's start and step.
struct History {
  signal::Signal target;
  std::vector<signal::Signal> sources;  // generation by source, when the file has it
  std::vector<Issued> issued;           // other people's forecasts of the target

  // The origin: everything known lies before it.
  Instant end() const { return target.series.end(); }
  Duration step() const { return target.series.step(); }
};

// `all` as it was known at `origin`: nothing measured from then on, nothing
// issued after. The one gate between a backtest and the future.
Result<History> Before(const History& all, Instant origin);

// The last `length` of a history, or all of it when it is shorter.
Result<History> Newest(const History& all, Duration length);

}  // namespace heliostat::forecast
