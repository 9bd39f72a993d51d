#pragma once

#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/knob.h"

namespace heliostat::level_control {

using heliostat::Knob;
using heliostat::NameOf;
// One of those that a run's level can be set with: power-limit, core-clock, pace.
Result<Knob> ParseKnob(std::string_view name, std::string_view where);

// Where a knob stands: in watts, in MHz, or for a pace above 0 and at most 1. Higher levels are never slower.
struct Level {
  Knob knob = Knob::kPowerLimit;
  double value = 0.0;

  // "225 W", "1410 MHz", "80 % of the time".
  std::string Text() const;
  friend bool operator==(const Level&, const Level&) = default;
};

}  // namespace heliostat::level_control
