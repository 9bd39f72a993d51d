#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/signals/signal/fill.h"
#include "heliostat/signals/signal/step_series.h"

namespace heliostat::workload {

// A trace of single requests.
struct RequestTrace {
  std::string name;
  std::vector<double> arrival_s;  // since the first request, ascending
  std::vector<float> work;        // generated tokens relative to the mean, because decoding takes most of the time

  std::size_t size() const { return arrival_s.size(); }
  // Mean number of requests per second.
  double rate() const;
  // The period when the trace is repeated: it ends one mean gap after the last request, so that the rate stays the
  // same.
  double period_s() const;
};

// Reads Azure LLM inference 2023 (TIMESTAMP,ContextTokens,GeneratedTokens) or Mooncake (timestamp_ms,input_length,
// output_length); the columns determine which. Fails without two requests at different times.
Result<RequestTrace> ReadRequests(std::string_view text, const std::string& name);

// Requests per second in each of `slots` slots. A shorter trace is repeated if `may_repeat`; otherwise it is an error.
Result<std::vector<double>> RatesPerSlot(const RequestTrace& trace, Duration step, std::size_t slots,
                                         bool may_repeat = false);

// Rates of one model in a ServeGen table (category,model,t_s,rate_rps): windows of equal length from a midnight on,
// which is written as 1970-01-01. A rate of 0 means that nothing was recorded, so the value is missing.
struct RateTrace {
  std::string name;  // of the model
  signal::StepSeries rates;
};
// Reads the rates of a model; without a name, of the first model in the table.
Result<RateTrace> ReadServeGenRates(std::string_view text, const std::string& file, std::string_view model = {});

// Mean rate in each slot from the begin of the trace on. Missing windows are filled by the rule; without a rule they
// are an error. A trace shorter than the horizon is repeated in whole days if `may_repeat`; otherwise it is an error.
Result<std::vector<double>> RatesPerSlot(const RateTrace& trace, Duration step, std::size_t slots,
                                         bool may_repeat = false, std::optional<signal::FillRule> fill = std::nullopt);

}  // namespace heliostat::workload
