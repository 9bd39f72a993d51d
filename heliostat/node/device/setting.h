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
// Those of a GPU. The functions of this layer know no others.
inline constexpr std::array kKnobs{Knob::kPowerLimit, Knob::kCoreClock, Knob::kMemoryClock};
// One of a GPU's.
std::optional<Knob> KnobOf(std::string_view name);

// Where a knob stands or is wanted. Whole numbers, as drivers count, so that two settings are the same or not.
struct Setting {
  Knob knob = Knob::kPowerLimit;
  // The driver's own choice: the default limit, or clocks that nobody locked. The bounds are 0 then.
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

// What came of a write, as read back.
enum class SetOutcome {
  kAsAsked,
  kClamped,     // it stands elsewhere than asked
  kIgnored,     // it stands where it stood
  kUnverified,  // the driver took it and cannot be asked what stands
};
std::string_view NameOf(SetOutcome outcome);

struct Applied {
  Setting asked;
  Setting stands;  // for kUnverified: what was asked
  SetOutcome outcome = SetOutcome::kAsAsked;
  friend bool operator==(const Applied&, const Applied&) = default;
};

}  // namespace heliostat::device
