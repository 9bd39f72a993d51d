#pragma once

#include <memory>
#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/signal.h"

namespace heliostat::provider {

// A request for one signal.
struct SignalRequest {
  std::string zone;
  signal::Kind kind = signal::Kind::kCarbonIntensity;
  // The requested time. A provider may answer with less, never with more.
  Interval span;
};

// A checked answer: evenly stepped, gaps missing, no time outside the request, no value that its kind forbids.
struct CheckedAnswer {
  signal::Signal signal;
  Instant fetched;     // when the answer arrived
  std::string origin;  // the URL of the request, without any key
};

// A forecast and the time at which its provider issued it.
struct IssuedAnswer {
  CheckedAnswer answer;
  Instant issued;
};

// The measurements of a provider. An answer with a measurement after the present time is refused. Not thread-safe.
class MeasuredSource {
 public:
  virtual ~MeasuredSource() = default;
  // Blocks until the provider has answered or the retries are used up. kNotFound when there is no value.
  virtual Result<CheckedAnswer> Measured(const SignalRequest& request) = 0;
};

// The forecasts of a provider. A type of their own, so that they cannot be mistaken for measurements. Not thread-safe.
class ForecastSource {
 public:
  virtual ~ForecastSource() = default;
  // Blocks until the provider has answered or the retries are used up. kNotFound when there is no value.
  virtual Result<IssuedAnswer> Forecast(const SignalRequest& request) = 0;
};

// A live provider with the roles that it supports. Not thread-safe.
struct Provider {
  std::string name;
  std::unique_ptr<MeasuredSource> measured;  // null when it has no measurements
  std::unique_ptr<ForecastSource> forecast;  // null when it has no forecasts
};

}  // namespace heliostat::provider
