#include "heliostat/node/device/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace heliostat::device {

std::optional<Knob> KnobOf(std::string_view name) {
  const auto found = std::ranges::find(kKnobs, name, [](Knob knob) { return heliostat::NameOf(knob); });
  return found == kKnobs.end() ? std::nullopt : std::optional(*found);
}

Setting Setting::PowerLimit(Watts limit) {
  const auto milliwatts = static_cast<std::int64_t>(std::llround(limit.value * 1e3));
  return {Knob::kPowerLimit, false, milliwatts, milliwatts};
}

Setting Setting::Clock(Knob knob, Hertz low, Hertz high) {
  return {knob, false, std::llround(InMegahertz(low)), std::llround(InMegahertz(high))};
}

std::string Setting::Text() const {
  if (is_default) return "default";
  if (knob == Knob::kPowerLimit) return fmt::format("{} W", static_cast<double>(high) / 1e3);
  return low == high ? fmt::format("{} MHz", high) : fmt::format("{} to {} MHz", low, high);
}

std::string_view NameOf(SetOutcome outcome) {
  switch (outcome) {
    case SetOutcome::kAsAsked:
      return "as-asked";
    case SetOutcome::kClamped:
      return "clamped";
    case SetOutcome::kIgnored:
      return "ignored";
    case SetOutcome::kUnverified:
      break;
  }
  return "unverified";
}

}  // namespace heliostat::device
