#pragma once

#include <optional>
#include <string_view>

namespace heliostat {

// A control that changes the power that a GPU draws and the speed of the program that runs there.
enum class Knob {
  kPowerLimit,
  kCoreClock,
  kMemoryClock,
  kPace,  // the share of each second in which the program may run; acts on the program, needs no privilege
};
// "power-limit", "core-clock", "memory-clock", "pace": the names on the command line, in journals, ledgers and
// protocols. They do not change.
std::string_view NameOf(Knob knob);
// std::nullopt for any other name.
std::optional<Knob> KnobNamed(std::string_view name);

}  // namespace heliostat
