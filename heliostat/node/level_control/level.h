#pragma once

#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/knob.h"

namespace heliostat::level_control {

using heliostat::Knob;
using heliostat::NameOf;
// A knob that a run can use: power-limit, core-clock or pace. kInvalidArgument for another name. `where` is for
// messages.
Result<Knob> ParseKnob(std::string_view name, std::string_view where);

// A setting of a run's knob, for all its GPUs: in watts, in MHz, or as a pace above 0 and at most 1. Higher levels are
// never slower.
struct Level {
  Knob knob = Knob::kPowerLimit;
  double value = 0.0;

  // "225 W", "1410 MHz", "80 % of the time".
  std::string Text() const;
  friend bool operator==(const Level&, const Level&) = default;
};

}  // namespace heliostat::level_control
