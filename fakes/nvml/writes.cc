// The functions of NVML that change a setting of one GPU.

#include <algorithm>

#include "fakes/nvml/library.h"
#include "fakes/nvml/session.h"

namespace heliostat::nvml_double {
namespace {

void SetLimit(GpuState& gpu, std::int64_t milliwatts) {
  const Faults& faults = gpu.faults;
  if (faults.clamp_high_mw > 0) milliwatts = std::clamp(milliwatts, faults.clamp_low_mw, faults.clamp_high_mw);
  milliwatts -= milliwatts % faults.round_mw;
  gpu.At(device::Knob::kPowerLimit) = {device::Knob::kPowerLimit, false, milliwatts, milliwatts};
}

// True for clocks that NVML accepts as a lock: in order and inside the range, on a step or not.
nvml::Return CheckCore(const device_model::CardModel& card, unsigned low, unsigned high) {
  const bool inside = low <= high && low >= static_cast<unsigned>(card.lowest_core_mhz) &&
                      high <= static_cast<unsigned>(card.highest_core_mhz);
  return inside ? nvml::kSuccess : nvml::kInvalidArgument;
}

// A card with one memory clock cannot be locked.
nvml::Return CheckMemory(const device_model::CardModel& card, unsigned low, unsigned high) {
  if (card.lower_memory_mhz == 0) return nvml::kNotSupported;
  const bool inside = low <= high && low >= static_cast<unsigned>(card.lower_memory_mhz) &&
                      high <= static_cast<unsigned>(card.highest_memory_mhz);
  return inside ? nvml::kSuccess : nvml::kInvalidArgument;
}

nvml::Return Lock(nvml::Device device, Function function, device::Knob knob, unsigned low, unsigned high) {
  return OnKnob(device, function, knob, low, high, [&](GpuState& gpu) -> nvml::Return {
    const auto check = knob == device::Knob::kCoreClock ? CheckCore : CheckMemory;
    const nvml::Return fine = check(gpu.card(), low, high);
    if (fine == nvml::kSuccess && !gpu.faults.ignores_writes) gpu.At(knob) = {knob, false, low, high};
    return fine;
  });
}

nvml::Return Unlock(nvml::Device device, Function function, device::Knob knob) {
  return OnKnob(device, function, knob, 0, 0, [&](GpuState& gpu) -> nvml::Return {
    if (knob == device::Knob::kMemoryClock && gpu.card().lower_memory_mhz == 0) return nvml::kNotSupported;
    if (!gpu.faults.ignores_writes) gpu.At(knob) = device::Setting::Default(knob);
    return nvml::kSuccess;
  });
}

}  // namespace
}  // namespace heliostat::nvml_double

using namespace heliostat::nvml_double;  // NOLINT(google-build-using-namespace): what follows is C's
using heliostat::device::Knob;

Return nvmlDeviceSetPowerManagementLimit(Device device, unsigned milliwatts) {
  return OnKnob(device, Function::k_nvmlDeviceSetPowerManagementLimit, Knob::kPowerLimit, milliwatts, milliwatts,
                [&](GpuState& gpu) -> Return {
                  const auto lowest = static_cast<unsigned>(gpu.card().lowest_limit_w) * 1000U;
                  const auto highest = static_cast<unsigned>(gpu.card().highest_limit_w) * 1000U;
                  if (milliwatts < lowest || milliwatts > highest) return nvml::kInvalidArgument;
                  if (!gpu.faults.ignores_writes) SetLimit(gpu, milliwatts);
                  return nvml::kSuccess;
                });
}

Return nvmlDeviceSetGpuLockedClocks(Device device, unsigned low_mhz, unsigned high_mhz) {
  return Lock(device, Function::k_nvmlDeviceSetGpuLockedClocks, Knob::kCoreClock, low_mhz, high_mhz);
}

Return nvmlDeviceResetGpuLockedClocks(Device device) {
  return Unlock(device, Function::k_nvmlDeviceResetGpuLockedClocks, Knob::kCoreClock);
}

Return nvmlDeviceSetMemoryLockedClocks(Device device, unsigned low_mhz, unsigned high_mhz) {
  return Lock(device, Function::k_nvmlDeviceSetMemoryLockedClocks, Knob::kMemoryClock, low_mhz, high_mhz);
}

Return nvmlDeviceResetMemoryLockedClocks(Device device) {
  return Unlock(device, Function::k_nvmlDeviceResetMemoryLockedClocks, Knob::kMemoryClock);
}
