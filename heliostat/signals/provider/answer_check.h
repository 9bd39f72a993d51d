#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/signals/provider/provider.h"

namespace heliostat::provider {

// The two roles of a provider: measurements or forecasts.
enum class AnswerRole { kMeasured, kForecast };

// One value as an answer gives it, in the unit of the meaning that it is checked with.
struct AnswerValue {
  Instant begin;
  double value;  // NaN when the answer marks it as not known
};

// What CheckReadings() checks an answer against.
struct AnswerRules {
  std::string where;  // "provider neso", for messages
  signal::Meaning meaning;
  Interval span;                 // the requested time
  std::optional<Duration> step;  // as the answer or its documentation states it; found from the times if absent
  std::optional<Instant> now;    // for measurements: a known value that begins later is refused
};

// A forecast as the text of an answer gives it.
struct IssuedSignal {
  signal::Signal signal;
  Instant issued;
};

// Turns the values of an answer into a signal; every provider uses it. The values may come in any order. A value that
// is absent becomes missing; values outside the requested time are dropped. kNotFound when no known value is left.
// kCorrupt for two values at one time, times that fit no even step, a measurement of the future, an infinite value,
// carbon below zero, and magnitudes that no grid has, which indicate a changed unit.
Result<signal::Signal> CheckReadings(std::vector<AnswerValue> readings, const AnswerRules& rules);

// Refuses a forecast whose time of issue is more than a minute after `now`.
Status CheckIssued(Instant issued, Instant now, const std::string& where);

// Refuses an answer whose unit, zone or type, the text under `key`, is not `expected`.
Status ExpectText(const io::Json& object, std::string_view key, std::string_view expected);

// Parses a JSON body. An empty body with HTTP status 200 is kCorrupt.
Result<io::Json> ParseBody(std::string_view body, const std::string& where);

// The time under `key`. With `whole_seconds` a fraction of a second must be zero, without it any fraction is dropped.
Result<Instant> TimeOf(const io::Json& object, std::string_view key, bool whole_seconds = true);

// The number under `key`, or missing when the member is absent or null.
Result<double> NumberOrMissing(const io::Json& object, std::string_view key);

// Turns kInvalidArgument into kCorrupt: parsers report bad input as the fault of the caller, but here the input comes
// from the provider.
template <typename T>
Result<T> AsCorrupt(Result<T> result) {
  if (result || result.error().code != ErrorCode::kInvalidArgument) return result;
  Error error = result.error();
  error.code = ErrorCode::kCorrupt;
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace heliostat::provider
