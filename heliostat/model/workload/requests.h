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

// Requests one by one, as they came.
struct RequestTrace {
  std::string name;
  std::vector<double> arrival_s;  // since the first, ascending
  std::vector<float> work;        // generated tokens relative to the mean: decoding is where a request's time goes

  std::size_t size() const { return arrival_s.size(); }
  // Mean requests a second.
  double rate() const;
  // After how long the trace begins anew when it is repeated: one mean gap after the last request, so that the rate
  // does not change at the seam.
  double period_s() const;
};

// Azure LLM inference 2023 (TIMESTAMP,ContextTokens,GeneratedTokens) or Mooncake (timestamp_ms,input_length,
// output_length), told apart by their columns. At least two requests at different times.
Result<RequestTrace> ReadRequests(std::string_view text, const std::string& name);

// Requests a second in each of `slots` slots. A trace shorter than that is refused, or repeated when that is allowed.
Result<std::vector<double>> RatesPerSlot(const RequestTrace& trace, Duration step, std::size_t slots,
                                         bool may_repeat = false);

// Rates of one model in a ServeGen table (category,model,t_s,rate_rps): windows of equal length from a midnight on,
// which is written as 1970-01-01. A rate of 0 in production means that nobody recorded, so it is missing.
struct RateTrace {
  std::string name;  // of the model
  signal::StepSeries rates;
};
// An empty model: the first in the table.
Result<RateTrace> ReadServeGenRates(std::string_view text, const std::string& file, std::string_view model = {});

// Mean rate in each slot from the trace's beginning on. Missing windows are filled by the rule given, and refused
// without one. A trace shorter than the horizon is refused, or repeated in whole days when that is allowed.
Result<std::vector<double>> RatesPerSlot(const RateTrace& trace, Duration step, std::size_t slots,
                                         bool may_repeat = false, std::optional<signal::FillRule> fill = std::nullopt);

}  // namespace heliostat::workload
