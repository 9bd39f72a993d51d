// The functions of NVML that read one GPU.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "fakes/nvml/library.h"
#include "fakes/nvml/session.h"
#include "heliostat/base/core/made_up.h"

namespace heliostat::nvml_double {
namespace {

constexpr double kBytesPerGib = 1024.0 * 1024.0 * 1024.0;
constexpr unsigned long long kBytesPerLoad = 8ULL << 30U;

// One number of a GPU.
template <typename Number, typename Read>
nvml::Return ReadNumber(nvml::Device device, Function function, Number* where, Read read) {
  return OnDevice(device, function, [&](const GpuState& gpu, const State& state) -> nvml::Return {
    if (where == nullptr) return nvml::kInvalidArgument;
    *where = static_cast<Number>(read(gpu, state));
    return nvml::kSuccess;
  });
}

// Copies a list as NVML does: the caller passes how many fit, and gets how many there are.
template <typename Item>
nvml::Return CopyList(const std::vector<Item>& items, unsigned* count, Item* where) {
  if (count == nullptr) return nvml::kInvalidArgument;
  const unsigned room = *count;
  *count = static_cast<unsigned>(items.size());
  if (items.empty()) return nvml::kSuccess;
  if (where == nullptr || room < items.size()) return nvml::kInsufficientSize;
  std::copy(items.begin(), items.end(), where);
  return nvml::kSuccess;
}

std::vector<unsigned> MemoryClocks(const device_model::CardModel& card) {
  std::vector<unsigned> clocks{static_cast<unsigned>(card.highest_memory_mhz)};
  if (card.lower_memory_mhz > 0) clocks.push_back(static_cast<unsigned>(card.lower_memory_mhz));
  return clocks;
}

std::vector<unsigned> CoreClocks(const device_model::CardModel& card) {
  std::vector<unsigned> clocks;
  for (int mhz = card.highest_core_mhz; mhz >= card.lowest_core_mhz; mhz -= card.core_step_mhz)
    clocks.push_back(static_cast<unsigned>(mhz));
  return clocks;
}

int MemoryMhz(const GpuState& gpu) {
  const device::Setting& lock = gpu.At(device::Knob::kMemoryClock);
  return lock.is_default ? gpu.card().highest_memory_mhz : static_cast<int>(lock.high);
}

unsigned long long ReasonsOf(const GpuState& gpu, double grace_s) {
  const Flow flow = FlowOf(gpu, grace_s);
  if (flow.duty <= 0.0) return nvml::kReasonIdle;
  const device::Setting& lock = gpu.At(device::Knob::kCoreClock);
  const bool is_locked = !lock.is_default && lock.high < gpu.card().highest_core_mhz && !flow.is_power_capped;
  return (flow.is_power_capped ? nvml::kReasonPowerCap : 0ULL) | (is_locked ? nvml::kReasonApplicationsClocks : 0ULL);
}

// True for cards that can be split into instances.
bool KnowsMig(const GpuState& gpu) {
  const std::string_view name = gpu.gpu.data();
  return name.starts_with("H") || name == "A100";
}

std::vector<nvml::ProcessUtilization> UtilizationOn(const GpuState& gpu, double grace_s) {
  const Flow flow = FlowOf(gpu, grace_s);
  std::vector<nvml::ProcessUtilization> samples;
  for (std::size_t i = 0; i < gpu.loads.size(); ++i) {
    const RunningLoad& load = gpu.loads[i];
    if (!load.is_used || load.pid == 0 || flow.shares[i] <= 0.0) continue;
    samples.push_back({static_cast<unsigned>(load.pid), static_cast<unsigned long long>(gpu.at_s * 1e6),
                       static_cast<unsigned>(std::lround(100.0 * flow.shares[i])), 0, 0, 0});
  }
  return samples;
}

std::vector<nvml::ProcessInfo> ProcessesOn(const GpuState& gpu) {
  std::vector<nvml::ProcessInfo> processes;
  for (const RunningLoad& load : gpu.loads) {
    if (!load.is_used || load.pid == 0) continue;
    processes.push_back({static_cast<unsigned>(load.pid), kBytesPerLoad, 0xffffffffU, 0xffffffffU});
  }
  return processes;
}

int IndexIn(nvml::Device device) {
  const auto state = Session::Get().state();
  return state == nullptr ? -1 : GpuOf(device, *state);
}

}  // namespace
}  // namespace heliostat::nvml_double

using namespace heliostat::nvml_double;  // NOLINT(google-build-using-namespace): what follows is C's
using heliostat::device::Knob;

Return nvmlDeviceGetName(Device device, char* name, unsigned size) {
  return OnDevice(device, Function::k_nvmlDeviceGetName, [&](const GpuState& gpu, const State& state) {
    const std::string_view mark = state.is_marked() ? heliostat::kMadeUpMark : std::string_view();
    return CopyText(fmt::format("{}{}", gpu.card().name, mark), name, size);
  });
}

Return nvmlDeviceGetUUID(Device device, char* uuid, unsigned size) {
  return OnDevice(device, Function::k_nvmlDeviceGetUUID,
                  [&](const GpuState& gpu, const State& /*state*/) { return CopyText(gpu.uuid.data(), uuid, size); });
}

Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* pci) {
  const int bus = IndexIn(device) + 1;
  return OnDevice(device, Function::k_nvmlDeviceGetPciInfo_v3,
                  [&](const GpuState& /*gpu*/, const State& /*state*/) -> Return {
                    if (pci == nullptr) return nvml::kInvalidArgument;
                    *pci = {};
                    pci->bus = static_cast<unsigned>(bus);
                    (void)CopyText(fmt::format("0000:{:02X}:00.0", bus), pci->bus_id_legacy, sizeof pci->bus_id_legacy);
                    return CopyText(fmt::format("00000000:{:02X}:00.0", bus), pci->bus_id, sizeof pci->bus_id);
                  });
}

Return nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  return ReadNumber(device, Function::k_nvmlDeviceGetPowerUsage, milliwatts,
                    [](const GpuState& gpu, const State&) { return std::llround(gpu.power_w * 1e3); });
}

Return nvmlDeviceGetPowerManagementLimit(Device device, unsigned* milliwatts) {
  return ReadNumber(device, Function::k_nvmlDeviceGetPowerManagementLimit, milliwatts,
                    [](const GpuState& gpu, const State&) { return gpu.At(Knob::kPowerLimit).high; });
}

Return nvmlDeviceGetPowerManagementLimitConstraints(Device device, unsigned* low, unsigned* high) {
  return OnDevice(device, Function::k_nvmlDeviceGetPowerManagementLimitConstraints,
                  [&](const GpuState& gpu, const State& /*state*/) -> Return {
                    if (low == nullptr || high == nullptr) return nvml::kInvalidArgument;
                    *low = static_cast<unsigned>(gpu.card().lowest_limit_w) * 1000U;
                    *high = static_cast<unsigned>(gpu.card().highest_limit_w) * 1000U;
                    return nvml::kSuccess;
                  });
}

Return nvmlDeviceGetPowerManagementDefaultLimit(Device device, unsigned* milliwatts) {
  return ReadNumber(device, Function::k_nvmlDeviceGetPowerManagementDefaultLimit, milliwatts,
                    [](const GpuState& gpu, const State&) { return gpu.card().default_limit_w * 1000; });
}

Return nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* milliwatts) {
  return ReadNumber(device, Function::k_nvmlDeviceGetEnforcedPowerLimit, milliwatts,
                    [](const GpuState& gpu, const State&) { return EnforcedMilliwatts(gpu); });
}

Return nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* millijoules) {
  return OnDevice(device, Function::k_nvmlDeviceGetTotalEnergyConsumption,
                  [&](const GpuState& gpu, const State& /*state*/) -> Return {
                    if (gpu.faults.has_no_counter || !gpu.card().has_energy_counter) return nvml::kNotSupported;
                    if (millijoules == nullptr) return nvml::kInvalidArgument;
                    *millijoules = static_cast<unsigned long long>(gpu.energy_j * 1e3);
                    return nvml::kSuccess;
                  });
}

Return nvmlDeviceGetClockInfo(Device device, int clock, unsigned* mhz) {
  return OnDevice(device, Function::k_nvmlDeviceGetClockInfo, [&](const GpuState& gpu, const State& state) -> Return {
    if (mhz == nullptr || clock < nvml::kClockGraphics || clock > nvml::kClockMemory) return nvml::kInvalidArgument;
    *mhz = static_cast<unsigned>(clock == nvml::kClockMemory ? MemoryMhz(gpu)
                                                             : std::lround(FlowOf(gpu, state.grace_s()).core_mhz));
    return nvml::kSuccess;
  });
}

Return nvmlDeviceGetSupportedMemoryClocks(Device device, unsigned* count, unsigned* mhz) {
  return OnDevice(
      device, Function::k_nvmlDeviceGetSupportedMemoryClocks,
      [&](const GpuState& gpu, const State& /*state*/) { return CopyList(MemoryClocks(gpu.card()), count, mhz); });
}

Return nvmlDeviceGetSupportedGraphicsClocks(Device device, unsigned memory, unsigned* count, unsigned* mhz) {
  return OnDevice(device, Function::k_nvmlDeviceGetSupportedGraphicsClocks,
                  [&](const GpuState& gpu, const State& /*state*/) -> Return {
                    const auto known = MemoryClocks(gpu.card());
                    if (std::find(known.begin(), known.end(), memory) == known.end()) return nvml::kNotFound;
                    return CopyList(CoreClocks(gpu.card()), count, mhz);
                  });
}

Return nvmlDeviceGetUtilizationRates(Device device, Utilization* rates) {
  return OnDevice(device, Function::k_nvmlDeviceGetUtilizationRates,
                  [&](const GpuState& gpu, const State& state) -> Return {
                    if (gpu.faults.is_mig) return nvml::kNotSupported;  // reported per instance only
                    if (rates == nullptr) return nvml::kInvalidArgument;
                    rates->gpu = static_cast<unsigned>(std::lround(100.0 * FlowOf(gpu, state.grace_s()).duty));
                    rates->memory = rates->gpu / 2;
                    return nvml::kSuccess;
                  });
}

Return nvmlDeviceGetTemperature(Device device, int sensor, unsigned* celsius) {
  if (sensor != nvml::kTemperatureGpu) return nvml::kInvalidArgument;
  return ReadNumber(device, Function::k_nvmlDeviceGetTemperature, celsius,
                    [](const GpuState& gpu, const State&) { return std::lround(gpu.temperature_c); });
}

Return nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* reasons) {
  return ReadNumber(device, Function::k_nvmlDeviceGetCurrentClocksEventReasons, reasons,
                    [](const GpuState& gpu, const State& state) { return ReasonsOf(gpu, state.grace_s()); });
}

Return nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* reasons) {
  return ReadNumber(device, Function::k_nvmlDeviceGetCurrentClocksThrottleReasons, reasons,
                    [](const GpuState& gpu, const State& state) { return ReasonsOf(gpu, state.grace_s()); });
}

Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo* processes) {
  return OnDevice(
      device, Function::k_nvmlDeviceGetComputeRunningProcesses_v3,
      [&](const GpuState& gpu, const State& /*state*/) { return CopyList(ProcessesOn(gpu), count, processes); });
}

Return nvmlDeviceGetProcessUtilization(Device device, ProcessUtilization* samples, unsigned* count,
                                       unsigned long long /*since*/) {
  return OnDevice(device, Function::k_nvmlDeviceGetProcessUtilization,
                  [&](const GpuState& gpu, const State& state) -> Return {
                    if (gpu.faults.is_mig) return nvml::kNotSupported;
                    const auto used = UtilizationOn(gpu, state.grace_s());
                    return used.empty() ? nvml::kNotFound : CopyList(used, count, samples);
                  });
}

Return nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
  return OnDevice(device, Function::k_nvmlDeviceGetMigMode, [&](const GpuState& gpu, const State& /*state*/) -> Return {
    if (!gpu.faults.is_mig && !KnowsMig(gpu)) return nvml::kNotSupported;
    if (current == nullptr || pending == nullptr) return nvml::kInvalidArgument;
    *current = *pending = gpu.faults.is_mig ? 1 : 0;
    return nvml::kSuccess;
  });
}

Return nvmlDeviceGetPersistenceMode(Device device, int* enabled) {
  return ReadNumber(device, Function::k_nvmlDeviceGetPersistenceMode, enabled,
                    [](const GpuState&, const State&) { return 1; });
}

Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  return OnDevice(
      device, Function::k_nvmlDeviceGetMemoryInfo, [&](const GpuState& gpu, const State& /*state*/) -> Return {
        if (memory == nullptr) return nvml::kInvalidArgument;
        const auto loads =
            std::count_if(gpu.loads.begin(), gpu.loads.end(), [](const RunningLoad& load) { return load.is_used; });
        memory->total = static_cast<unsigned long long>(gpu.card().memory_gib * kBytesPerGib);
        memory->used = std::min(memory->total, kBytesPerLoad * static_cast<unsigned long long>(loads));
        memory->free = memory->total - memory->used;
        return nvml::kSuccess;
      });
}
