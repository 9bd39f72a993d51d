// Any bytes of an answer of a provider are a checked signal or one error. The signal is inside the request and finite,
// and has no measurement after now.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz/target_name.h"
#include "heliostat/base/core/check.h"
#include "heliostat/signals/provider/eia.h"
#include "heliostat/signals/provider/electricity_maps.h"
#include "heliostat/signals/provider/energy_charts.h"
#include "heliostat/signals/provider/entsoe.h"
#include "heliostat/signals/provider/neso.h"
#include "heliostat/signals/provider/watttime.h"

namespace {

using namespace heliostat;
using namespace heliostat::provider;

constexpr Instant kNow{std::chrono::sys_days{std::chrono::year{2023} / 6 / 2}};
constexpr Interval kSpan{kNow - std::chrono::days{1}, kNow + std::chrono::days{1}};

void CheckSignal(const signal::Signal& signal) {
  Check(kSpan.Contains(signal.series.span()), "a time is outside the request");
  for (const double value : signal.series.values()) {
    Check(signal::IsMissing(value) || std::isfinite(value), "a value is infinite");
    Check(!(value < 0) || !signal::MustNotBeNegative(signal.meaning.kind), "a value is negative");
  }
}

const signal::Signal& SignalOf(const signal::Signal& signal) { return signal; }
const signal::Signal& SignalOf(const IssuedSignal& issued) { return issued.signal; }

template <typename CheckedAnswer>
void CheckAnswer(const Result<CheckedAnswer>& answer) {
  if (answer) {
    CheckSignal(SignalOf(*answer));
  } else {
    Check(!answer.error().Line().empty(), "an error has no text");
  }
}

struct Target {
  std::string_view name;
  std::string_view zone;
  signal::Kind kind;
  void (*read)(std::string_view body, const SignalRequest& request);
};

constexpr auto kCarbon = signal::Kind::kCarbonIntensity;
constexpr auto kLifecycle = signal::Basis::kLifecycle;
constexpr std::array<Target, 8> kTargets{{
    {"neso-answer", "GB", kCarbon,
     [](std::string_view body, const SignalRequest& request) {
       CheckAnswer(ParseNesoIntensity(body, request, kNow, AnswerRole::kForecast));
     }},
    {"electricity-maps", "DE", kCarbon,
     [](std::string_view body, const SignalRequest& request) {
       CheckAnswer(ParseElectricityMapsPast(body, request, kNow, kLifecycle));
     }},
    {"electricity-maps-forecast", "DE", kCarbon,
     [](std::string_view body, const SignalRequest& request) {
       CheckAnswer(ParseElectricityMapsForecast(body, request, kNow, kLifecycle));
     }},
    {"watttime", "CAISO_NORTH", kCarbon,
     [](std::string_view body, const SignalRequest& request) {
       CheckAnswer(ParseWattTimeHistorical(body, request, kNow));
     }},
    {"watttime-forecast", "CAISO_NORTH", kCarbon,
     [](std::string_view body, const SignalRequest& request) {
       CheckAnswer(ParseWattTimeForecast(body, request, kNow));
     }},
    {"energy-charts", "DE-LU", signal::Kind::kPrice,
     [](std::string_view body, const SignalRequest& request) {
       CheckAnswer(ParseEnergyChartsPrice(body, request, kNow, AnswerRole::kForecast));
     }},
    {"entsoe", "DE-LU", signal::Kind::kPrice,
     [](std::string_view body, const SignalRequest& request) {
       CheckAnswer(ParseEntsoePrices(body, request, kNow, AnswerRole::kForecast));
     }},
    {"eia", "CISO", kCarbon,
     [](std::string_view body, const SignalRequest& request) {
       CheckAnswer(ParseEiaGeneration(body, request, kNow, kLifecycle));
     }},
}};

const Target& ThisTarget() {
  const auto* const found =
      std::find_if(kTargets.begin(), kTargets.end(), [](const Target& target) { return target.name == TargetName(); });
  Check(found != kTargets.end(), "the name of the target is not a kind of answer");
  return *found;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Target& target = ThisTarget();
  static const SignalRequest request{std::string(target.zone), target.kind, kSpan};
  target.read(std::string_view(reinterpret_cast<const char*>(data), size), request);
  return 0;
}
