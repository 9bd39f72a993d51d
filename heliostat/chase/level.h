#pragma once

#include <string>
#include <string_view>

#include "heliostat/core/error.h"

namespace heliostat::chase {

// What a program's GPUs are slowed by.
enum class Knob {
  kPowerLimit,  // levels in watts
  kCoreClock,   // levels in MHz
  kPace,        // the share of each second in which the program may run, above 0 and at most 1; needs no privilege
};

// "power-limit", "core-clock", "pace", as on the command line.
std::string_view NameOf(Knob knob);
Result<Knob> ParseKnob(std::string_view name, std::string_view where);

// Where a knob stands. Higher levels are never slower.
struct Level {
  Knob knob = Knob::kPowerLimit;
  double value = 0.0;

  // "225 W", "1410 MHz", "80 % of the time".
  std::string Text() const;
  friend bool operator==(const Level&, const Level&) = default;
};

}  // namespace heliostat::chase
