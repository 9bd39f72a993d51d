#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/units.h"
#include "heliostat/node/device/setting.h"

namespace heliostat::device {

struct Identity {
  std::string uuid;  // stable across reboots and new numbering; the index is not
  std::string name;  // "NVIDIA H200"
  std::string pci;   // "00000000:00:06.0"
  int index = 0;
};

// What the card and its driver can do at all; whether this process may is another matter.
struct Abilities {
  bool has_power_limit = false;
  Watts lowest_limit;
  Watts default_limit;
  Watts highest_limit;
  bool has_core_lock = false;
  bool has_memory_lock = false;
  bool has_energy_counter = false;
  std::vector<int> core_clocks_mhz;  // ascending; empty where the driver does not tell
  std::vector<int> memory_clocks_mhz;
};

// Why clocks are below what they could be. Bits of Reading::throttle.
enum Throttle : std::uint32_t {
  kThrottleIdle = 1U << 0U,
  kThrottlePowerCap = 1U << 1U,
  kThrottleThermal = 1U << 2U,
  kThrottleHardware = 1U << 3U,  // power brake or other slow-down by the board
  kThrottleClockSetting = 1U << 4U,
  kThrottleOther = 1U << 5U,
};
// "power cap, thermal"; "" for none.
std::string ThrottleText(std::uint32_t reasons);

// What is cheap to read, as of one moment. What the card does not tell is absent.
struct Reading {
  std::optional<Watts> power;
  std::optional<Watts> enforced_limit;  // the lowest of all limits, those out of band too
  std::optional<int> core_mhz;
  std::optional<int> memory_mhz;
  std::optional<double> utilisation;  // share of the last moments in which something ran, 0 to 1
  std::optional<int> temperature_c;
  std::uint32_t throttle = 0;
};

struct GpuProcess {
  int pid = 0;
  std::uint64_t memory_bytes = 0;
};

// What is dear to read or seldom changes.
struct Details {
  std::optional<bool> is_persistent;  // the driver stays loaded, and settings with it, when nobody uses the card
  std::optional<bool> is_mig;         // cut into instances; settings hold for the whole card all the same
  std::optional<std::uint64_t> memory_used_bytes;
  std::optional<std::uint64_t> memory_total_bytes;
  std::vector<GpuProcess> processes;
};

// One GPU. Implementations: NvmlGpu (hardware) and device_model::SimulatedGpu; device/testing has the contract that
// both keep. Not thread-safe: whoever has several threads gives each GPU one of its own. Any call may take long or,
// when the driver hangs, not return.
//
// Failures: kPermissionDenied without the right to write, kUnsupported for what this card or driver never does,
// kUnavailable for a card that is lost or a driver that is gone, kInvalidArgument for a setting outside the range.
class Gpu {
 public:
  virtual ~Gpu() = default;

  virtual const Identity& identity() const = 0;
  virtual const Abilities& abilities() const = 0;

  virtual Result<Reading> Read() = 0;
  // Since the driver was loaded; never falls, except to start anew with it. Some drivers take milliseconds.
  virtual Result<Joules> Energy() = 0;
  virtual Result<Details> Inspect() = 0;

  // Where a knob stands. kUnsupported where the driver cannot tell (NVML: locked clocks).
  virtual Result<Setting> Stands(Knob knob) = 0;
  // Writes, reads back and says what came of it. A setting outside the card's range is refused and nothing changes.
  virtual Result<Applied> Apply(const Setting& wanted) = 0;
};

// Refuses a setting that is outside the card's range, or of a knob that it does not have.
Status CheckRange(const Identity& identity, const Abilities& abilities, const Setting& wanted);

// All GPUs of a machine. Absence of a driver is an implementation too: it has no GPUs and says why.
class GpuDriver {
 public:
  virtual ~GpuDriver() = default;

  virtual std::string_view name() const = 0;  // "NVML", "simulated", "none"
  virtual std::string version() const = 0;    // of the driver; empty when there is none
  // Why there are no GPUs, or what does not work though there are some; empty when all is well.
  virtual std::vector<std::string> troubles() const = 0;
  // In the driver's order. A card that cannot even be named is left out and stands in troubles().
  virtual Result<std::vector<std::unique_ptr<Gpu>>> Gpus() = 0;
};

}  // namespace heliostat::device
