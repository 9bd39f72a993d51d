#include "heliostat/node/level_control/level.h"

#include <fmt/format.h>

namespace heliostat::level_control {
Result<Knob> ParseKnob(std::string_view name, std::string_view where) {
  if (const auto found = KnobNamed(name); found && *found != Knob::kMemoryClock) return *found;
  return Fail(ErrorCode::kInvalidArgument, std::string(where),
              fmt::format("'{}' is not a knob of a run", Printable(name, 40)), "power-limit, core-clock or pace");
}

std::string Level::Text() const {
  switch (knob) {
    case Knob::kPowerLimit:
      return fmt::format("{:.0f} W", value);
    case Knob::kCoreClock:
    case Knob::kMemoryClock:
      return fmt::format("{:.0f} MHz", value);
    case Knob::kPace:
      break;
  }
  return fmt::format("{:.0f} % of the time", 100.0 * value);
}

}  // namespace heliostat::level_control
