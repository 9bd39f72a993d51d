#include "fakes/nvml/physics.h"

#include <algorithm>
#include <cmath>

namespace heliostat::nvml_double {
namespace {

bool IsActive(const RunningLoad& load, double at_s, double grace_s) {
  if (!load.is_used || load.load.duty <= 0.0) return false;
  if (load.goal > 0.0 && load.steps >= load.goal) return false;
  return load.pid == 0 || at_s < load.beat_s + grace_s;
}

double StepsPerSecond(const RunningLoad& load, double samples_per_s) {
  return samples_per_s * load.pace / load.samples_per_step;
}

// When the load reaches its goal at this speed.
double GoalAt(const RunningLoad& load, double at_s, double steps_per_s) {
  if (load.goal <= 0.0 || steps_per_s <= 0.0) return HUGE_VAL;
  return at_s + (load.goal - load.steps) / steps_per_s;
}

double TemperatureAt(const device_model::CardModel& card, double power_w) {
  return 30.0 + 45.0 * power_w / card.highest_limit_w;
}

// Power and temperature approach the values of the flow; energy is the integral of power.
void Integrate(GpuState& gpu, double power_w, double seconds) {
  const double left = std::exp(-seconds / kPowerLagSeconds);
  const double above = gpu.power_w - power_w;
  gpu.energy_j += power_w * seconds + above * kPowerLagSeconds * (1.0 - left);
  gpu.power_w = power_w + above * left;
  const double warm = TemperatureAt(gpu.card(), power_w);
  gpu.temperature_c = warm + (gpu.temperature_c - warm) * std::exp(-seconds / kTemperatureLagSeconds);
}

// Up to the next moment at which a load ends, or to `now_s`.
void SettleOnce(GpuState& gpu, double now_s, double grace_s) {
  const Flow flow = FlowOf(gpu, grace_s);
  double end_s = now_s;
  for (std::size_t i = 0; i < gpu.loads.size(); ++i) {
    const RunningLoad& load = gpu.loads[i];
    if (!IsActive(load, gpu.at_s, grace_s)) continue;
    if (load.pid != 0) end_s = std::min(end_s, load.beat_s + grace_s);
    end_s = std::min(end_s, GoalAt(load, gpu.at_s, StepsPerSecond(load, flow.samples_per_s[i])));
  }
  const double seconds = end_s - gpu.at_s;
  for (std::size_t i = 0; i < gpu.loads.size(); ++i) {
    RunningLoad& load = gpu.loads[i];
    const double steps_per_s = StepsPerSecond(load, flow.samples_per_s[i]);
    if (steps_per_s <= 0.0) continue;
    const bool is_done = GoalAt(load, gpu.at_s, steps_per_s) <= end_s;
    const double steps = is_done ? load.goal - load.steps : steps_per_s * seconds;
    load.steps = is_done ? load.goal : load.steps + steps;  // exactly the goal: rounding must not leave a rest
    gpu.samples += steps * load.samples_per_step;
  }
  Integrate(gpu, flow.power_w, seconds);
  gpu.at_s = end_s;
}

}  // namespace

Flow FlowOf(const GpuState& gpu, double grace_s) {
  const device_model::CardModel& card = gpu.card();
  device::Setting limit = gpu.At(device::Knob::kPowerLimit);
  limit.low = limit.high = EnforcedMilliwatts(gpu);
  const device::Setting& lock = gpu.At(device::Knob::kCoreClock);
  double wanted = 0.0;
  for (const RunningLoad& load : gpu.loads) {
    if (IsActive(load, gpu.at_s, grace_s)) wanted += load.load.duty;
  }
  Flow flow;
  if (wanted <= 0.0) {
    const device_model::OperatingPoint idle = device_model::PointAt(card, std::nullopt, limit, lock);
    flow.power_w = idle.power_w;
    flow.core_mhz = idle.core_mhz;
    return flow;
  }
  flow.duty = std::min(wanted, 1.0);
  for (std::size_t i = 0; i < gpu.loads.size(); ++i) {
    if (!IsActive(gpu.loads[i], gpu.at_s, grace_s)) continue;
    device_model::CardLoad load = gpu.loads[i].load;
    const double share = load.duty / wanted;
    load.duty = flow.duty;
    const device_model::OperatingPoint point = device_model::PointAt(card, load, limit, lock);
    flow.power_w += share * point.power_w;
    flow.core_mhz += share * point.core_mhz;
    flow.is_power_capped = flow.is_power_capped || point.is_power_capped;
    flow.samples_per_s[i] = share * point.samples_per_s;
    flow.shares[i] = share * flow.duty;
  }
  return flow;
}

void Settle(GpuState& gpu, double now_s, double grace_s) {
  gpu.at_s = std::min(gpu.at_s, now_s);  // after a boot the machine's clock starts again
  while (gpu.at_s < now_s) SettleOnce(gpu, now_s, grace_s);
}

}  // namespace heliostat::nvml_double
