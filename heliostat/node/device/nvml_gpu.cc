#include "heliostat/node/device/nvml_gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace heliostat::device {
namespace {

constexpr int kMissing = nvml::kNotSupported;  // a missing function counts as not supported
// How far a clock may be off its lock, in MHz: one step and its rounding.
constexpr int kClockSlack = 16;
constexpr unsigned kMostProcesses = 256;
constexpr std::array kThrottles{
    std::pair{nvml::kReasonIdle, kThrottleIdle},
    std::pair{nvml::kReasonApplicationsClocks | nvml::kReasonDisplayClock, kThrottleClockSetting},
    std::pair{nvml::kReasonPowerCap, kThrottlePowerCap},
    std::pair{nvml::kReasonSwThermal | nvml::kReasonHwThermal, kThrottleThermal},
    std::pair{nvml::kReasonHwSlowdown | nvml::kReasonHwPowerBrake, kThrottleHardware},
    std::pair{nvml::kReasonSyncBoost, kThrottleOther},
};

bool IsGone(nvml::Return code) {
  return code == nvml::kGpuIsLost || code == nvml::kUninitialized || code == nvml::kDriverNotLoaded ||
         code == nvml::kTimeout || code == nvml::kResetRequired;
}

Watts FromMilliwatts(unsigned milliwatts) { return Watts{milliwatts / 1e3}; }

// The text that `function` writes; empty when it fails or is missing.
template <unsigned Size, typename Function>
std::string TextOf(Function function, nvml::Device device) {
  std::array<char, Size> text{};
  if (function == nullptr || function(device, text.data(), Size) != nvml::kSuccess) return {};
  return text.data();
}

// A list of clocks that NVML returns, ascending; empty when the call fails.
template <typename Ask>
std::vector<int> ListOf(Ask ask) {
  unsigned count = 512;
  std::vector<unsigned> values(count);
  if (ask(&count, values.data()) != nvml::kSuccess) return {};
  values.resize(std::min<std::size_t>(count, values.size()));
  std::vector<int> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

}  // namespace

Result<std::unique_ptr<Gpu>> NvmlGpu::Open(std::shared_ptr<nvml::Library> library, unsigned index) {
  const nvml::Functions& call = library->call();
  nvml::Device device = nullptr;
  const nvml::Return code = call.nvmlDeviceGetHandleByIndex_v2(index, &device);
  if (code != nvml::kSuccess) return tl::unexpected(library->ToError(code, fmt::format("GPU {}", index), "be opened"));
  Identity identity{TextOf<nvml::kUuidSize>(call.nvmlDeviceGetUUID, device),
                    TextOf<nvml::kNameSize>(call.nvmlDeviceGetName, device), "", static_cast<int>(index)};
  if (identity.uuid.empty()) {
    return Fail(ErrorCode::kUnavailable, fmt::format("GPU {}", index), "does not report its UUID");
  }
  nvml::PciInfo pci{};
  if (call.nvmlDeviceGetPciInfo_v3 != nullptr && call.nvmlDeviceGetPciInfo_v3(device, &pci) == nvml::kSuccess) {
    identity.pci = pci.bus_id;
  }
  std::unique_ptr<NvmlGpu> gpu(new NvmlGpu(std::move(library), device, std::move(identity)));
  gpu->LearnAbilities();
  gpu->LearnClocks();
  return gpu;
}

NvmlGpu::NvmlGpu(std::shared_ptr<nvml::Library> library, nvml::Device device, Identity identity)
    : library_(std::move(library)),
      device_(device),
      generation_(library_->generation()),
      identity_(std::move(identity)) {}

template <typename... Parameters, typename... Arguments>
nvml::Return NvmlGpu::Call(nvml::Return (*function)(nvml::Device, Parameters...), Arguments... arguments) {
  if (function == nullptr) return kMissing;
  // A call for another GPU may have restarted NVML since, which invalidates this handle.
  if (generation_ != library_->generation() && !FindAgain()) return nvml::kUninitialized;
  nvml::Return code = function(device_, arguments...);
  if (code == nvml::kUninitialized && FindAgain()) code = function(device_, arguments...);
  return code;
}

bool NvmlGpu::FindAgain() {
  if (generation_ == library_->generation() && !library_->Restart(generation_)) return false;
  const nvml::Functions& call = library_->call();
  const std::uint64_t now = library_->generation();
  unsigned count = 0;
  if (call.nvmlDeviceGetCount_v2(&count) != nvml::kSuccess) return false;
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device device = nullptr;
    if (call.nvmlDeviceGetHandleByIndex_v2(index, &device) != nvml::kSuccess) continue;
    if (TextOf<nvml::kUuidSize>(call.nvmlDeviceGetUUID, device) != identity_.uuid) continue;
    device_ = device;
    generation_ = now;
    return true;
  }
  return false;
}

std::string NvmlGpu::Where() const { return fmt::format("GPU {} ({})", identity_.index, identity_.name); }

Error NvmlGpu::Failure(nvml::Return code, std::string_view doing) const {
  return library_->ToError(code, Where(), doing);
}

void NvmlGpu::LearnAbilities() {
  const nvml::Functions& call = library_->call();
  unsigned lowest = 0;
  unsigned highest = 0;
  unsigned usual = 0;
  if (Call(call.nvmlDeviceGetPowerManagementLimitConstraints, &lowest, &highest) == nvml::kSuccess) {
    abilities_.has_power_limit = call.nvmlDeviceSetPowerManagementLimit != nullptr;
    abilities_.lowest_limit = FromMilliwatts(lowest);
    abilities_.highest_limit = FromMilliwatts(highest);
    const bool is_told = Call(call.nvmlDeviceGetPowerManagementDefaultLimit, &usual) == nvml::kSuccess;
    abilities_.default_limit = is_told ? FromMilliwatts(usual) : abilities_.highest_limit;
  }
  abilities_.has_core_lock =
      call.nvmlDeviceSetGpuLockedClocks != nullptr && call.nvmlDeviceResetGpuLockedClocks != nullptr;
  abilities_.has_memory_lock =
      call.nvmlDeviceSetMemoryLockedClocks != nullptr && call.nvmlDeviceResetMemoryLockedClocks != nullptr;
  unsigned long long millijoules = 0;
  abilities_.has_energy_counter = Call(call.nvmlDeviceGetTotalEnergyConsumption, &millijoules) == nvml::kSuccess;
}

void NvmlGpu::LearnClocks() {
  const nvml::Functions& call = library_->call();
  abilities_.memory_clocks_mhz =
      ListOf([&](unsigned* count, unsigned* mhz) { return Call(call.nvmlDeviceGetSupportedMemoryClocks, count, mhz); });
  if (abilities_.memory_clocks_mhz.empty()) return;
  const auto memory = static_cast<unsigned>(abilities_.memory_clocks_mhz.back());
  abilities_.core_clocks_mhz = ListOf([&](unsigned* count, unsigned* mhz) {
    return Call(call.nvmlDeviceGetSupportedGraphicsClocks, memory, count, mhz);
  });
}

template <typename Function, typename Value>
Status NvmlGpu::Ask(Function function, Value& value, bool& is_told) {
  const nvml::Return code = function(value);
  is_told = code == nvml::kSuccess;
  if (IsGone(code)) return tl::unexpected(Failure(code, "be read"));
  return {};
}

Result<Reading> NvmlGpu::Read() {
  const nvml::Functions& call = library_->call();
  Reading reading;
  bool is_told = false;
  unsigned number = 0;
  // Read first: this call fails when the card is gone.
  if (auto told = Ask([&](unsigned& mw) { return Call(call.nvmlDeviceGetPowerUsage, &mw); }, number, is_told); !told)
    return Propagate(told);
  if (is_told) reading.power = FromMilliwatts(number);
  if (Call(call.nvmlDeviceGetEnforcedPowerLimit, &number) == nvml::kSuccess)
    reading.enforced_limit = FromMilliwatts(number);
  if (Call(call.nvmlDeviceGetClockInfo, nvml::kClockSm, &number) == nvml::kSuccess)
    reading.core_mhz = static_cast<int>(number);
  if (Call(call.nvmlDeviceGetClockInfo, nvml::kClockMemory, &number) == nvml::kSuccess)
    reading.memory_mhz = static_cast<int>(number);
  if (Call(call.nvmlDeviceGetTemperature, nvml::kTemperatureGpu, &number) == nvml::kSuccess)
    reading.temperature_c = static_cast<int>(number);
  nvml::Utilization rates{};
  if (Call(call.nvmlDeviceGetUtilizationRates, &rates) == nvml::kSuccess) reading.utilisation = rates.gpu / 100.0;
  unsigned long long reasons = 0;
  const auto ask_reasons = call.nvmlDeviceGetCurrentClocksEventReasons != nullptr
                               ? call.nvmlDeviceGetCurrentClocksEventReasons
                               : call.nvmlDeviceGetCurrentClocksThrottleReasons;
  if (Call(ask_reasons, &reasons) == nvml::kSuccess) {
    for (const auto& [bits, reason] : kThrottles) reading.throttle |= (reasons & bits) != 0 ? reason : 0U;
  }
  return reading;
}

Result<Joules> NvmlGpu::Energy() {
  unsigned long long millijoules = 0;
  const nvml::Return code = Call(library_->call().nvmlDeviceGetTotalEnergyConsumption, &millijoules);
  if (code != nvml::kSuccess) return tl::unexpected(Failure(code, "read the energy counter"));
  return Joules{static_cast<double>(millijoules) / 1e3};
}

Result<Details> NvmlGpu::Inspect() {
  const nvml::Functions& call = library_->call();
  Details details;
  nvml::Memory memory{};
  bool is_told = false;
  if (auto told = Ask([&](nvml::Memory& m) { return Call(call.nvmlDeviceGetMemoryInfo, &m); }, memory, is_told); !told)
    return Propagate(told);
  if (is_told) {
    details.memory_used_bytes = memory.used;
    details.memory_total_bytes = memory.total;
  }
  int enabled = 0;
  if (Call(call.nvmlDeviceGetPersistenceMode, &enabled) == nvml::kSuccess) details.is_persistent = enabled != 0;
  unsigned mig = 0;
  unsigned pending = 0;
  if (Call(call.nvmlDeviceGetMigMode, &mig, &pending) == nvml::kSuccess) details.is_mig = mig != 0;
  unsigned count = 256;
  std::vector<nvml::ProcessInfo> processes(count);
  if (Call(call.nvmlDeviceGetComputeRunningProcesses_v3, &count, processes.data()) == nvml::kSuccess) {
    for (unsigned i = 0; i < std::min<unsigned>(count, 256); ++i) {
      const bool is_known = processes[i].used_gpu_memory != ~0ULL;
      details.processes.push_back({static_cast<int>(processes[i].pid), is_known ? processes[i].used_gpu_memory : 0});
    }
  }
  return details;
}

Result<std::vector<ProcessUse>> NvmlGpu::Processes() {
  const nvml::Functions& call = library_->call();
  unsigned count = kMostProcesses;
  std::vector<nvml::ProcessInfo> running(count);
  const nvml::Return listed = Call(call.nvmlDeviceGetComputeRunningProcesses_v3, &count, running.data());
  if (listed != nvml::kSuccess) return tl::unexpected(Failure(listed, "list its processes"));
  running.resize(std::min(count, kMostProcesses));
  std::vector<ProcessUse> uses;
  for (const nvml::ProcessInfo& one : running) uses.push_back({static_cast<int>(one.pid), std::nullopt});
  // A sample is the mean of a process since the time stamp. One that ran no kernel has none; without any, the answer is
  // "not found".
  unsigned samples = kMostProcesses;
  std::vector<nvml::ProcessUtilization> used(samples);
  const nvml::Return told = Call(call.nvmlDeviceGetProcessUtilization, used.data(), &samples, used_until_);
  if (told != nvml::kSuccess && told != nvml::kNotFound) return uses;
  used.resize(told == nvml::kSuccess ? std::min(samples, kMostProcesses) : 0);
  for (ProcessUse& use : uses) use.utilisation = 0.0;
  for (const nvml::ProcessUtilization& one : used) {
    used_until_ = std::max(used_until_, one.time_stamp);
    const auto use = std::ranges::find(uses, static_cast<int>(one.pid), &ProcessUse::pid);
    if (use != uses.end()) use->utilisation = one.sm / 100.0;
  }
  return uses;
}

Result<Setting> NvmlGpu::Stands(Knob knob) {
  if (knob != Knob::kPowerLimit) {
    return Fail(ErrorCode::kUnsupported, Where(), fmt::format("NVML cannot read the lock of the {}", NameOf(knob)));
  }
  unsigned milliwatts = 0;
  const nvml::Return code = Call(library_->call().nvmlDeviceGetPowerManagementLimit, &milliwatts);
  if (code != nvml::kSuccess) return tl::unexpected(Failure(code, "read the power limit"));
  return Setting{Knob::kPowerLimit, false, milliwatts, milliwatts};
}

Result<Applied> NvmlGpu::Apply(const Setting& wanted) {
  if (const auto inside = CheckRange(identity_, abilities_, wanted); !inside) return Propagate(inside);
  return wanted.knob == Knob::kPowerLimit ? ApplyLimit(wanted) : ApplyClock(wanted);
}

Result<Applied> NvmlGpu::ApplyLimit(const Setting& wanted) {
  const Setting target = wanted.is_default ? Setting::PowerLimit(abilities_.default_limit) : wanted;
  const auto before = Stands(Knob::kPowerLimit);
  if (!before) return Propagate(before);
  const nvml::Return code =
      Call(library_->call().nvmlDeviceSetPowerManagementLimit, static_cast<unsigned>(target.high));
  if (code != nvml::kSuccess) return tl::unexpected(Failure(code, "set the power limit"));
  const auto after = Stands(Knob::kPowerLimit);
  if (!after) return Propagate(after);
  const SetOutcome outcome = *after == target    ? SetOutcome::kAsAsked
                             : *after == *before ? SetOutcome::kIgnored
                                                 : SetOutcome::kClamped;
  return Applied{wanted, *after, outcome};
}

Result<Applied> NvmlGpu::ApplyClock(const Setting& wanted) {
  const nvml::Functions& call = library_->call();
  const bool is_core = wanted.knob == Knob::kCoreClock;
  const nvml::Return code =
      wanted.is_default ? Call(is_core ? call.nvmlDeviceResetGpuLockedClocks : call.nvmlDeviceResetMemoryLockedClocks)
                        : Call(is_core ? call.nvmlDeviceSetGpuLockedClocks : call.nvmlDeviceSetMemoryLockedClocks,
                               static_cast<unsigned>(wanted.low), static_cast<unsigned>(wanted.high));
  if (code != nvml::kSuccess) return tl::unexpected(Failure(code, fmt::format("set the {}", NameOf(wanted.knob))));
  const SetOutcome outcome = wanted.is_default ? SetOutcome::kUnverified : SeenOnClock(wanted);
  return Applied{wanted, outcome == SetOutcome::kIgnored ? Setting::Default(wanted.knob) : wanted, outcome};
}

// NVML cannot read a lock back, but a clock that stays above it shows that the driver ignored the write. A clock below
// it proves nothing: the power cap, the temperature or idleness may hold it there.
SetOutcome NvmlGpu::SeenOnClock(const Setting& wanted) {
  const int clock = wanted.knob == Knob::kCoreClock ? nvml::kClockSm : nvml::kClockMemory;
  unsigned mhz = 0;
  for (int look = 0; look < 6; ++look) {
    if (Call(library_->call().nvmlDeviceGetClockInfo, clock, &mhz) != nvml::kSuccess) return SetOutcome::kUnverified;
    if (static_cast<std::int64_t>(mhz) <= wanted.high + kClockSlack) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (static_cast<std::int64_t>(mhz) > wanted.high + kClockSlack) return SetOutcome::kIgnored;
  return static_cast<std::int64_t>(mhz) + kClockSlack >= wanted.low ? SetOutcome::kAsAsked : SetOutcome::kUnverified;
}

}  // namespace heliostat::device
