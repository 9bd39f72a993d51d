#include "heliostat/chase/level.h"

#include <fmt/format.h>

#include "heliostat/core/names.h"

namespace heliostat::chase {
namespace {

constexpr auto kKnobs =
    NamesOf<Knob>({{Knob::kPowerLimit, "power-limit"}, {Knob::kCoreClock, "core-clock"}, {Knob::kPace, "pace"}});

}  // namespace

std::string_view NameOf(Knob knob) { return kKnobs.NameOf(knob); }

Result<Knob> ParseKnob(std::string_view name, std::string_view where) {
  if (const auto found = kKnobs.Find(name)) return *found;
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
