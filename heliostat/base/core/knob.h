#pragma once

#include <optional>
#include <string_view>

namespace heliostat {

// What can be turned to change the power that a GPU draws and the speed of what runs there.
enum class Knob {
  kPowerLimit,
  kCoreClock,
  kMemoryClock,
  kPace,  // the share of each second in which the program may run: the program's, not the GPU's; needs no privilege
};
// "power-limit", "core-clock", "memory-clock", "pace": on the command line, in journals, ledgers and protocols.
std::string_view NameOf(Knob knob);
std::optional<Knob> KnobNamed(std::string_view name);

}  // namespace heliostat
