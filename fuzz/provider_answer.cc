// Any bytes that a provider may answer with are a checked signal or one error:
// inside the request, finite, and nothing measured after now.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "heliostat/core/check.h"
#include "heliostat/provider/eia.h"
#include "heliostat/provider/electricity_maps.h"
#include "heliostat/provider/energy_charts.h"
#include "heliostat/provider/entsoe.h"
#include "heliostat/provider/neso.h"
#include "heliostat/provider/watttime.h"

namespace {

using namespace heliostat;
using namespace heliostat::provider;

constexpr Instant kNow{std::chrono::sys_days{std::chrono::year{2023} / 6 / 2}};
constexpr Interval kSpan{kNow - std::chrono::days{1}, kNow + std::chrono::days{1}};

void CheckSignal(const signal::Signal& signal) {
  Check(kSpan.Contains(signal.series.span()), "times outside the request");
  for (const double value : signal.series.values()) {
    Check(signal::IsMissing(value) || std::isfinite(value), "a value that is no number");
    Check(!(value < 0) || !signal::MustNotBeNegative(signal.meaning.kind), "a value that cannot be");
  }
}

[[maybe_unused]] const signal::Signal& SignalOf(const signal::Signal& signal) { return signal; }
[[maybe_unused]] const signal::Signal& SignalOf(const IssuedSignal& issued) { return issued.signal; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  [[maybe_unused]] const Request carbon{HELIOSTAT_FUZZ_ZONE, signal::Kind::kCarbonIntensity, kSpan};
  [[maybe_unused]] const Request price{HELIOSTAT_FUZZ_ZONE, signal::Kind::kPrice, kSpan};
  [[maybe_unused]] const Instant now = kNow;
  const auto answer = HELIOSTAT_FUZZ_CALL;
  if (answer) {
    CheckSignal(SignalOf(*answer));
  } else {
    Check(!answer.error().Line().empty(), "an error says nothing");
  }
  return 0;
}
