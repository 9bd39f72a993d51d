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
  std::string uuid;  // stable across reboots; the index is not
  std::string name;  // "NVIDIA H200"
  std::string pci;   // "00000000:00:06.0"
  int index = 0;
};

// What the card and its driver support. Says nothing about the rights of this process.
struct Abilities {
  bool has_power_limit = false;
  Watts lowest_limit;
  Watts default_limit;
  Watts highest_limit;
  bool has_core_lock = false;
  bool has_memory_lock = false;
  bool has_energy_counter = false;
  std::vector<int> core_clocks_mhz;  // ascending; empty where the driver does not list them
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

// Values that are cheap to read, at one moment. A value that the card does not report is absent.
struct Reading {
  std::optional<Watts> power;
  std::optional<Watts> enforced_limit;  // the lowest of all limits, including those set out of band
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

// What one process does on a GPU now.
struct ProcessUse {
  int pid = 0;
  std::optional<double> utilisation;  // share of the last second or so in which its kernels ran; absent: not reported
};

// Values that are slow to read or change seldom.
struct Details {
  std::optional<bool> is_persistent;  // driver and settings stay loaded while no program uses the card
  std::optional<bool> is_mig;         // split into instances; settings still apply to the whole card
  std::optional<std::uint64_t> memory_used_bytes;
  std::optional<std::uint64_t> memory_total_bytes;
  std::vector<GpuProcess> processes;
};

// One GPU. Implementations: NvmlGpu (hardware) and device_model::SimulatedGpu; device/testing/gpu_contract.h tests the
// contract of both. Not thread-safe. Different GPUs may be used from different threads. Any call may take long, and
// does not return while the driver hangs.
//
// Failures: kPermissionDenied without the right to write, kUnsupported for what this card or driver never does,
// kUnavailable for a lost card or an unloaded driver, kInvalidArgument for a setting outside the range.
class Gpu {
 public:
  virtual ~Gpu() = default;

  virtual const Identity& identity() const = 0;
  virtual const Abilities& abilities() const = 0;

  virtual Result<Reading> Read() = 0;
  // Energy since the driver was loaded. Falls only when the driver is reloaded. Some drivers take milliseconds.
  virtual Result<Joules> Energy() = 0;
  virtual Result<Details> Inspect() = 0;
  // The processes that compute on the card. kUnsupported where the driver does not list them.
  virtual Result<std::vector<ProcessUse>> Processes() {
    return Fail(ErrorCode::kUnsupported, identity().uuid, "does not list its processes");
  }

  // The present setting of a knob. kUnsupported where the driver cannot read it (NVML: locked clocks).
  virtual Result<Setting> Stands(Knob knob) = 0;
  // Writes a setting, reads it back and returns the outcome. A setting outside the card's range changes nothing.
  virtual Result<Applied> Apply(const Setting& wanted) = 0;
};

// kInvalidArgument for a setting outside the card's range, kUnsupported for a knob that it does not have.
Status CheckRange(const Identity& identity, const Abilities& abilities, const Setting& wanted);

// All GPUs of a machine. A machine without a driver has an implementation too: no GPUs, and troubles() has the reason.
// Not thread-safe.
class GpuDriver {
 public:
  virtual ~GpuDriver() = default;

  virtual std::string_view name() const = 0;  // "NVML", "simulated", "none"
  virtual std::string version() const = 0;    // of the driver; empty when there is none
  // Why there are no GPUs, or what does not work with those there are; empty without trouble.
  virtual std::vector<std::string> troubles() const = 0;
  // Opens all GPUs, in the driver's order. A card that cannot be opened is left out and added to troubles(). A later
  // call opens those that earlier calls left out.
  virtual Result<std::vector<std::unique_ptr<Gpu>>> Gpus() = 0;
  // False when a later call of Gpus(), or a driver that is opened later, may find more.
  virtual bool is_complete() const { return true; }
};

}  // namespace heliostat::device
