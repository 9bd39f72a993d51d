#pragma once

#include <memory>
#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::provider {

// What is asked of a provider.
struct SignalRequest {
  std::string zone;
  signal::Kind kind = signal::Kind::kCarbonIntensity;
  // Times wanted. A provider may answer with less, never with more.
  Interval span;
};

// An answer that was checked: evenly stepped, gaps missing, no time outside the
// request, no value that its kind forbids.
struct CheckedAnswer {
  signal::Signal signal;
  Instant fetched;
  std::string origin;  // the address asked, without any key
};

// A forecast as issued by its provider.
struct IssuedAnswer {
  CheckedAnswer answer;
  Instant issued;
};

// What was measured. Times after "now" are refused, not passed on.
class MeasuredSource {
 public:
  virtual ~MeasuredSource() = default;
  virtual Result<CheckedAnswer> Measured(const SignalRequest& request) = 0;
};

// What somebody expects. Kept apart from measurements by type.
class ForecastSource {
 public:
  virtual ~ForecastSource() = default;
  virtual Result<IssuedAnswer> Forecast(const SignalRequest& request) = 0;
};

// A live provider: what it can do is what it has. Not thread-safe.
struct Provider {
  std::string name;
  std::unique_ptr<MeasuredSource> measured;  // null when it measures nothing
  std::unique_ptr<ForecastSource> forecast;  // null when it forecasts nothing
};

}  // namespace heliostat::provider
