// Any bytes are a request trace, a table of rates, or one error each. Arrivals rise from 0, work is relative to its
// mean, and the rates of slots count every request of a round once.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/base/core/check.h"
#include "heliostat/model/workload/requests.h"

namespace {

using heliostat::Check;
using heliostat::Duration;
using namespace heliostat::workload;

constexpr std::size_t kSlots = 16;

void CheckRequests(const RequestTrace& trace) {
  Check(trace.arrival_s.size() == trace.work.size(), "there are not as many arrivals as work values");
  Check(trace.arrival_s.front() == 0.0 && std::ranges::is_sorted(trace.arrival_s), "arrivals do not rise from 0");
  Check(std::isfinite(trace.rate()) && trace.rate() > 0.0, "a trace has no positive rate");
  const auto rates = RatesPerSlot(trace, Duration{60}, kSlots, true);
  Check(rates.has_value() && rates->size() == kSlots, "a repeated trace has no rates");
  double counted = 0.0;
  for (const double rate : *rates) {
    Check(rate >= 0.0, "a rate is below 0");
    counted += rate * 60.0;
  }
  const double expected = trace.rate() * 60.0 * kSlots;
  Check(std::abs(counted - expected) <= static_cast<double>(trace.size()) + 1e-6 * expected, "requests are lost");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto requests = ReadRequests(text, "requests.csv");
  if (requests) CheckRequests(*requests);
  const auto rates = ReadServeGenRates(text, "rates.csv");
  if (rates) {
    const auto slots = RatesPerSlot(*rates, Duration{600}, kSlots, true, heliostat::signal::FillRule::kLinear);
    Check(slots.has_value() ? slots->size() == kSlots : !slots.error().Line().empty(),
          "there are neither rates nor an error");
  }
  Check(requests.has_value() || !requests.error().Line().empty(), "an error has no text");
  return 0;
}
