#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "heliostat/node/device/nvml_abi.h"
#include "heliostat/node/device/setting.h"
#include "heliostat/node/device_model/card.h"

namespace heliostat::nvml_double {

// What the double's processes share: plain data in a mapped file, so that it outlives any of them. Times are seconds of
// the double's own clock (State::Now) unless a name says otherwise.

inline constexpr int kMostGpus = 16;
inline constexpr int kMostLoads = 16;
inline constexpr int kMostWrites = 64;

// Every function of the library, for faults that name one and for the record of writes.
enum class Function : std::uint8_t {
#define HELIOSTAT_DOUBLE_FUNCTION(name, type) k_##name,
  HELIOSTAT_NVML_REQUIRED(HELIOSTAT_DOUBLE_FUNCTION) HELIOSTAT_NVML_OPTIONAL(HELIOSTAT_DOUBLE_FUNCTION)
#undef HELIOSTAT_DOUBLE_FUNCTION
      kSomebodyElse,  // not of the library: a change behind everybody's back, in the record of writes
};
inline constexpr int kFunctions = static_cast<int>(Function::kSomebodyElse);
static_assert(kFunctions <= 64, "faults keep one bit a function");
constexpr std::uint64_t BitOf(Function function) { return std::uint64_t{1} << static_cast<unsigned>(function); }

// Something that runs on a GPU.
struct RunningLoad {
  bool is_used = false;
  std::int32_t pid = 0;  // 0: a load without a process
  std::uint64_t start_ticks = 0;
  std::array<char, 32> model{};
  device_model::CardLoad load;
  double samples_per_step = 1.0;
  double pace = 1.0;  // of its steps against the model's usual ones
  double steps = 0.0;
  double goal = 0.0;    // steps after which nothing runs any more; 0: endless
  double beat_s = 0.0;  // when the process was last heard of
};

// What goes wrong on a GPU. All off: a healthy card.
struct Faults {
  bool refuses_writes = false;
  bool is_lost = false;
  bool ignores_writes = false;
  bool has_no_counter = false;
  bool is_mig = false;
  std::uint64_t hanging = 0;      // a bit for each function
  double hangs_until_real_s = 0;  // of the machine's clock; 0: until it is cleared
  std::uint64_t unsupported = 0;  // a bit for each function
  std::int64_t clamp_low_mw = 0;  // limits are forced between these; 0: they are not
  std::int64_t clamp_high_mw = 0;
  std::int64_t round_mw = 1;        // limits are rounded down to whole multiples
  std::int64_t out_of_band_mw = 0;  // a lower limit that only the enforced limit tells; 0: none
};

// One call of a function that changes a setting, whatever came of it.
struct Write {
  Function function = Function::kSomebodyElse;
  std::int32_t pid = 0;
  std::int32_t result = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
  double at_s = 0.0;
};

struct GpuState {
  std::array<char, 16> gpu{};  // a card model's name
  std::array<char, 48> uuid{};
  std::array<device::Setting, device::kKnobs.size()> settings{};  // by Knob; the power limit is never "default"
  double at_s = 0.0;                                              // up to when the rest is settled
  double power_w = 0.0;
  double energy_j = 0.0;
  double temperature_c = 0.0;
  double samples = 0.0;  // of all loads there ever were
  Faults faults;
  std::array<RunningLoad, kMostLoads> loads{};
  std::array<std::uint64_t, device::kKnobs.size()> writes{};  // by Knob: those that the driver said were done
  std::uint64_t recorded = 0;                                 // how many went into `record`, which keeps the last
  std::array<Write, kMostWrites> record{};

  device::Setting& At(device::Knob knob) { return settings[static_cast<std::size_t>(knob)]; }
  const device::Setting& At(device::Knob knob) const { return settings[static_cast<std::size_t>(knob)]; }
  const device_model::CardModel& card() const;
};
static_assert(std::is_trivially_copyable_v<GpuState>);

// What the first GPU of a kind looks like: nothing runs, settings at their default. `card` is a model of CardModels().
GpuState NewGpu(const device_model::CardModel& card, int index);
// As a driver that was just loaded leaves it.
void Reset(GpuState& gpu);
std::int64_t EnforcedMilliwatts(const GpuState& gpu);
void Record(GpuState& gpu, const Write& write);

// "nvmlDeviceGetName" and so on; "somebody else".
std::string_view NameOf(Function function);

}  // namespace heliostat::nvml_double
