#include "heliostat/node/device/gpu.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace heliostat::device {
namespace {

constexpr std::array<std::pair<Throttle, std::string_view>, 6> kReasons{{{kThrottleIdle, "idle"},
                                                                         {kThrottlePowerCap, "power cap"},
                                                                         {kThrottleThermal, "thermal"},
                                                                         {kThrottleHardware, "hardware slow-down"},
                                                                         {kThrottleClockSetting, "clock setting"},
                                                                         {kThrottleOther, "other"}}};

std::string Where(const Identity& identity) { return fmt::format("GPU {} ({})", identity.index, identity.name); }

Status CheckLimit(const Identity& identity, const Abilities& abilities, const Setting& wanted) {
  const Setting lowest = Setting::PowerLimit(abilities.lowest_limit);
  const Setting highest = Setting::PowerLimit(abilities.highest_limit);
  if (wanted.low == wanted.high && lowest.low <= wanted.low && wanted.high <= highest.high) return {};
  return Fail(ErrorCode::kInvalidArgument, Where(identity),
              fmt::format("power limit {} is out of range", wanted.Text()),
              fmt::format("{} to {}", lowest.Text(), highest.Text()));
}

Status CheckClock(const Identity& identity, const std::vector<int>& clocks, const Setting& wanted) {
  const bool is_range = 0 < wanted.low && wanted.low <= wanted.high;
  const bool is_inside = clocks.empty() || (clocks.front() <= wanted.low && wanted.high <= clocks.back());
  if (is_range && is_inside) return {};
  return Fail(ErrorCode::kInvalidArgument, Where(identity),
              fmt::format("{} {} is out of range", NameOf(wanted.knob), wanted.Text()),
              clocks.empty() ? "above 0 MHz, the lower first"
                             : fmt::format("{} to {} MHz, the lower first", clocks.front(), clocks.back()));
}

bool Has(const Abilities& abilities, Knob knob) {
  switch (knob) {
    case Knob::kPowerLimit:
      return abilities.has_power_limit;
    case Knob::kCoreClock:
      return abilities.has_core_lock;
    case Knob::kMemoryClock:
      return abilities.has_memory_lock;
    case Knob::kPace:
      break;
  }
  return false;
}

}  // namespace

std::string ThrottleText(std::uint32_t reasons) {
  std::string text;
  for (const auto& [reason, name] : kReasons) {
    if ((reasons & reason) != 0) fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : ", ", name);
  }
  return text;
}

Status CheckRange(const Identity& identity, const Abilities& abilities, const Setting& wanted) {
  if (!Has(abilities, wanted.knob)) {
    return Fail(ErrorCode::kUnsupported, Where(identity),
                fmt::format("this card or its driver cannot set the {}", NameOf(wanted.knob)));
  }
  if (wanted.is_default) return {};
  if (wanted.knob == Knob::kPowerLimit) return CheckLimit(identity, abilities, wanted);
  const bool is_core = wanted.knob == Knob::kCoreClock;
  return CheckClock(identity, is_core ? abilities.core_clocks_mhz : abilities.memory_clocks_mhz, wanted);
}

}  // namespace heliostat::device
