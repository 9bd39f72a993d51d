#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/signals/provider/provider.h"

namespace heliostat::provider {

// Which of its two sides a provider is asked for.
enum class AnswerRole { kMeasured, kForecast };

// One value as an answer gives it, in the unit of the meaning beside it.
struct AnswerValue {
  Instant begin;
  double value;  // NaN when the answer says that nobody knows
};

// What an answer is held against.
struct AnswerRules {
  std::string where;  // "provider neso", for messages
  signal::Meaning meaning;
  Interval span;                 // what was asked for
  std::optional<Duration> step;  // as the answer or its documentation states it; else it is found
  std::optional<Instant> now;    // of measurements: a known value that begins later is refused
};

// A forecast as its text gives it.
struct IssuedSignal {
  signal::Signal signal;
  Instant issued;
};

// The one place where an answer becomes a signal. Readings may come in any order.
// What is not there becomes missing; what is outside the request is cut off.
// kNotFound when no known value is left; kCorrupt for a time that stands twice
// with two values, times that fit no even step, a measurement of the future, an
// infinite value, carbon below zero, and magnitudes that no grid has, which is
// how a changed unit shows.
Result<signal::Signal> CheckReadings(std::vector<AnswerValue> readings, const AnswerRules& rules);

// Refuses a forecast that says it was issued after `now`.
Status CheckIssued(Instant issued, Instant now, const std::string& where);

// Refuses an answer whose stated unit, zone or type is not the expected one.
Status ExpectText(const io::Json& object, std::string_view key, std::string_view expected);

// The text of a body; an HTTP 200 with nothing in it is kCorrupt.
Result<io::Json> ParseBody(std::string_view body, const std::string& where);

// A time with or without a fraction of a second, which is dropped where `whole_seconds` is false.
Result<Instant> TimeOf(const io::Json& object, std::string_view key, bool whole_seconds = true);

// A number, or missing when the member is absent or null.
Result<double> NumberOrMissing(const io::Json& object, std::string_view key);

// A reader says kInvalidArgument of its input. Here the input is the provider's, so it is kCorrupt.
template <typename T>
Result<T> AsCorrupt(Result<T> result) {
  if (result || result.error().code != ErrorCode::kInvalidArgument) return result;
  Error error = result.error();
  error.code = ErrorCode::kCorrupt;
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace heliostat::provider
