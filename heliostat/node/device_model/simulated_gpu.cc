#include "heliostat/node/device_model/simulated_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/base/core/check.h"

namespace heliostat::device_model {
namespace {

using device::Abilities;
using device::Applied;
using device::Details;
using device::Knob;
using device::Reading;
using device::SetOutcome;
using device::Setting;

Abilities AbilitiesOf(const CardModel& card) {
  Abilities abilities{.has_power_limit = true,
                      .lowest_limit = Watts{static_cast<double>(card.lowest_limit_w)},
                      .default_limit = Watts{static_cast<double>(card.default_limit_w)},
                      .highest_limit = Watts{static_cast<double>(card.highest_limit_w)},
                      .has_core_lock = true,
                      .has_memory_lock = card.lower_memory_mhz > 0,
                      .has_energy_counter = card.has_energy_counter,
                      .core_clocks_mhz = {},
                      .memory_clocks_mhz = {}};
  for (int mhz = card.lowest_core_mhz; mhz <= card.highest_core_mhz; mhz += card.core_step_mhz)
    abilities.core_clocks_mhz.push_back(mhz);
  if (card.lower_memory_mhz > 0) abilities.memory_clocks_mhz.push_back(card.lower_memory_mhz);
  abilities.memory_clocks_mhz.push_back(card.highest_memory_mhz);
  return abilities;
}

}  // namespace

SimulatedGpu::SimulatedGpu(const CardModel& card, int index)
    : card_(&card),
      identity_{fmt::format("GPU-51a7ed00-0000-0000-0000-{:012x}", index), std::string(card.name),
                fmt::format("00000000:{:02X}:00.0", index + 1), index},
      abilities_(AbilitiesOf(card)) {}

Result<Reading> SimulatedGpu::Read() {
  if (read_failure_) return tl::unexpected(*read_failure_);
  const OperatingPoint point = PointAt(*card_, load_, power_limit_, core_clock_);
  Reading reading;
  reading.power = Watts{point.power_w};
  reading.enforced_limit = power_limit_.is_default ? abilities_.default_limit : power_limit_.limit();
  reading.core_mhz = static_cast<int>(std::lround(point.core_mhz));
  reading.memory_mhz = memory_clock_.is_default ? card_->highest_memory_mhz : static_cast<int>(memory_clock_.high);
  reading.utilisation = load_ ? load_->duty : 0.0;
  reading.temperature_c = 30 + static_cast<int>(45.0 * point.power_w / card_->highest_limit_w);
  reading.throttle = (load_ ? 0U : static_cast<unsigned>(device::kThrottleIdle)) |
                     (point.is_power_capped ? static_cast<unsigned>(device::kThrottlePowerCap) : 0U);
  return reading;
}

Result<Joules> SimulatedGpu::Energy() {
  if (read_failure_) return tl::unexpected(*read_failure_);
  if (!abilities_.has_energy_counter) return Fail(ErrorCode::kUnsupported, identity_.uuid, "has no energy counter");
  return energy_;
}

Result<Details> SimulatedGpu::Inspect() {
  if (read_failure_) return tl::unexpected(*read_failure_);
  Details details;
  details.is_persistent = true;
  details.is_mig = false;
  details.memory_total_bytes = static_cast<std::uint64_t>(card_->memory_gib * 1024 * 1024 * 1024);
  details.memory_used_bytes = 0;
  return details;
}

Result<Setting> SimulatedGpu::Stands(Knob knob) {
  if (read_failure_) return tl::unexpected(*read_failure_);
  if (knob != Knob::kPowerLimit) {
    return Fail(ErrorCode::kUnsupported, identity_.uuid,
                fmt::format("the driver cannot read the lock of the {}", NameOf(knob)));
  }
  // Like NVML, returns the default limit as a number.
  return power_limit_.is_default ? Setting::PowerLimit(abilities_.default_limit) : power_limit_;
}

Result<Applied> SimulatedGpu::Apply(const Setting& wanted) {
  if (write_failure_) return tl::unexpected(*write_failure_);
  if (const auto inside = device::CheckRange(identity_, abilities_, wanted); !inside) return Propagate(inside);
  ++writes_;
  Setting& stands = At(wanted.knob);
  if (wanted.knob != Knob::kPowerLimit) {
    stands = wanted;
    return Applied{wanted, wanted, SetOutcome::kUnverified};
  }
  const Setting before = *Stands(wanted.knob);
  stands = wanted.is_default ? Setting::PowerLimit(abilities_.default_limit) : wanted;
  stands.high -= stands.high % limit_step_mw_;
  stands.low = stands.high;
  const bool as_asked = wanted.is_default || stands == wanted;
  return Applied{wanted, stands,
                 as_asked           ? SetOutcome::kAsAsked
                 : stands == before ? SetOutcome::kIgnored
                                    : SetOutcome::kClamped};
}

void SimulatedGpu::Advance(Seconds duration) {
  const OperatingPoint point = PointAt(*card_, load_, power_limit_, core_clock_);
  energy_ += Watts{point.power_w} * duration;
  samples_ += point.samples_per_s * duration.count();
}

void SimulatedGpu::SetBehindOurBack(const Setting& setting) { At(setting.knob) = setting; }

void SimulatedGpu::Reload() {
  for (const Knob knob : device::kKnobs) At(knob) = Setting::Default(knob);
  energy_ = Joules{0};
}

Setting& SimulatedGpu::At(Knob knob) {
  switch (knob) {
    case Knob::kPowerLimit:
      return power_limit_;
    case Knob::kCoreClock:
      return core_clock_;
    case Knob::kMemoryClock:
      return memory_clock_;
    case Knob::kPace:
      break;
  }
  Check(false, "a GPU has no pace");
  return memory_clock_;
}

}  // namespace heliostat::device_model
