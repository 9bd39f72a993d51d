#include "heliostat/chase/level.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace heliostat::chase {
namespace {

struct Known {
  Knob knob;
  std::string_view name;
};
constexpr std::array<Known, 3> kKnobs{
    {{Knob::kPowerLimit, "power-limit"}, {Knob::kCoreClock, "core-clock"}, {Knob::kPace, "pace"}}};

}  // namespace

std::string_view NameOf(Knob knob) { return std::ranges::find(kKnobs, knob, &Known::knob)->name; }

Result<Knob> ParseKnob(std::string_view name, std::string_view where) {
  const auto found = std::ranges::find(kKnobs, name, &Known::name);
  if (found != kKnobs.end()) return found->knob;
  return Fail(ErrorCode::kInvalidArgument, std::string(where), fmt::format("'{}' is no knob", Printable(name, 40)),
              "power-limit, core-clock or pace");
}

std::string Level::Text() const {
  switch (knob) {
    case Knob::kPowerLimit:
      return fmt::format("{:.0f} W", value);
    case Knob::kCoreClock:
      return fmt::format("{:.0f} MHz", value);
    case Knob::kPace:
      break;
  }
  return fmt::format("{:.0f} % of the time", 100.0 * value);
}

}  // namespace heliostat::chase
