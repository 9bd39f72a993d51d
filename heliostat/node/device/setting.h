#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/knob.h"
#include "heliostat/base/core/units.h"

namespace heliostat::device {

using heliostat::Knob;
using heliostat::NameOf;
// The knobs of a GPU. The functions of this layer support no others.
inline constexpr std::array kKnobs{Knob::kPowerLimit, Knob::kCoreClock, Knob::kMemoryClock};
// Absent for a name that is not of one of kKnobs.
std::optional<Knob> KnobOf(std::string_view name);

// Where one knob of one GPU stands or should stand. Holds the integers of the driver, so that settings compare exactly.
struct Setting {
  Knob knob = Knob::kPowerLimit;
  // The default power limit, or unlocked clocks. The bounds are 0 then.
  bool is_default = true;
  std::int64_t low = 0;   // power limit: milliwatts, the same as high; clocks: MHz
  std::int64_t high = 0;  // likewise

  static Setting Default(Knob knob) { return {knob, true, 0, 0}; }
  // To the nearest milliwatt and MHz.
  static Setting PowerLimit(Watts limit);
  static Setting Clock(Knob knob, Hertz low, Hertz high);

  Watts limit() const { return Watts{static_cast<double>(high) / 1e3}; }
  Hertz top() const { return Megahertz(static_cast<double>(high)); }
  // "300 W", "1200 MHz", "600 to 1200 MHz", "default".
  std::string Text() const;
  friend bool operator==(const Setting&, const Setting&) = default;
};

// The outcome of a write, as read back.
enum class SetOutcome {
  kAsAsked,
  kClamped,     // the knob moved, but not to the setting asked for
  kIgnored,     // the knob did not move
  kUnverified,  // the driver accepted the write, and the knob cannot be read back
};
std::string_view NameOf(SetOutcome outcome);

// What Gpu::Apply() did.
struct Applied {
  Setting asked;
  Setting stands;  // for kUnverified: what was asked
  SetOutcome outcome = SetOutcome::kAsAsked;
  friend bool operator==(const Applied&, const Applied&) = default;
};

}  // namespace heliostat::device
