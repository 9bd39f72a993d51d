#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "heliostat/node/device/nvml_abi.h"
#include "heliostat/node/device/setting.h"
#include "heliostat/node/device_model/card.h"

namespace heliostat::nvml_double {

// The data that the double's processes share: plain structures in a mapped file, which outlives each process. Times are
// seconds of the double's clock (State::Now) unless a name says otherwise. Not thread-safe by itself: State locks it.

inline constexpr int kMostGpus = 16;
inline constexpr int kMostLoads = 16;
inline constexpr int kMostWrites = 64;

// Every function of the library, for faults that name one and for the record of writes.
enum class Function : std::uint8_t {
#define HELIOSTAT_DOUBLE_FUNCTION(name, type) k_##name,
  HELIOSTAT_NVML_REQUIRED(HELIOSTAT_DOUBLE_FUNCTION) HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_DOUBLE_FUNCTION)
#undef HELIOSTAT_DOUBLE_FUNCTION
      kOtherProgram,  // not a function of the library: a change by another program, in the record of writes
};
inline constexpr int kFunctions = static_cast<int>(Function::kOtherProgram);
static_assert(kFunctions <= 64, "faults keep one bit per function");
constexpr std::uint64_t BitOf(Function function) { return std::uint64_t{1} << static_cast<unsigned>(function); }

// Something that runs on a GPU.
struct RunningLoad {
  bool is_used = false;
  std::int32_t pid = 0;  // 0: a load without a process
  std::uint64_t start_ticks = 0;
  std::array<char, 32> model{};
  device_model::CardLoad load;
  double samples_per_step = 1.0;
  double pace = 1.0;  // speed of its steps relative to the model's
  double steps = 0.0;
  double goal = 0.0;    // steps after which the load ends; 0: none
  double beat_s = 0.0;  // when the process last reported
};

// The faults of a GPU. Default: a healthy card.
struct Faults {
  bool refuses_writes = false;
  bool is_lost = false;
  bool ignores_writes = false;
  bool has_no_counter = false;
  bool is_mig = false;
  std::uint64_t hanging = 0;      // one bit per function
  double hangs_until_real_s = 0;  // of the machine's clock; 0: until cleared
  std::uint64_t unsupported = 0;  // one bit per function
  std::int64_t clamp_low_mw = 0;  // limits are forced between these; 0: no clamping
  std::int64_t clamp_high_mw = 0;
  std::int64_t round_mw = 1;        // limits are rounded down to whole multiples
  std::int64_t out_of_band_mw = 0;  // a lower limit that only the enforced limit shows; 0: none
};

// One call of a function that changes a setting, successful or not.
struct Write {
  Function function = Function::kOtherProgram;
  std::int32_t pid = 0;
  std::int32_t result = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double at_s = 0.0;
};

// One GPU: its settings, measurements, faults and loads.
struct GpuState {
  std::array<char, 16> gpu{};  // a card model's name
  std::array<char, 48> uuid{};
  std::array<device::Setting, device::kKnobs.size()> settings{};  // by Knob; the power limit is never "default"
  double at_s = 0.0;                                              // the time that the measurements belong to
  double power_w = 0.0;
  double energy_j = 0.0;
  double temperature_c = 0.0;
  double samples = 0.0;  // of all loads so far
  Faults faults;
  std::array<RunningLoad, kMostLoads> loads{};
  std::array<std::uint64_t, device::kKnobs.size()> writes{};  // by Knob: writes that returned success
  std::uint64_t recorded = 0;                                 // number of writes so far; `record` keeps the last ones
  std::array<Write, kMostWrites> record{};

  device::Setting& At(device::Knob knob) { return settings[static_cast<std::size_t>(knob)]; }
  const device::Setting& At(device::Knob knob) const { return settings[static_cast<std::size_t>(knob)]; }
  const device_model::CardModel& card() const;
};
static_assert(std::is_trivially_copyable_v<GpuState>);

// A new GPU: idle, settings at their default. `card` must be a model of CardModels().
GpuState NewGpu(const device_model::CardModel& card, int index);
// Puts settings and counters to where a newly loaded driver has them.
void Reset(GpuState& gpu);
// The lower of the power limit and the out-of-band limit.
std::int64_t EnforcedMilliwatts(const GpuState& gpu);
void Record(GpuState& gpu, const Write& write);

// "nvmlDeviceGetName" and so on; "somebody else".
std::string_view NameOf(Function function);

}  // namespace heliostat::nvml_double
