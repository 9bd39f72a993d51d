#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/node/gpu_access/gpus.h"
#include "heliostat/node/lease/lease_summary.h"

namespace heliostat::gpu_access {

// How long a program waits for another that turns a knob, which takes it milliseconds, or a slow driver longer.
inline constexpr std::chrono::seconds kPatience{5};

// What a user wants of a GPU.
struct SettingWish {
  device::Setting setting;
  std::chrono::seconds ttl{0};
  std::optional<pid_t> pid;  // ends with this process
  std::string job;
};

// What turns knobs for a user: the node agent where one listens; without one this process, which then needs the right
// to, with the same books on disk so that the previous value is known however it ends. Not thread-safe.
class Control {
 public:
  virtual ~Control() = default;
  virtual std::string_view name() const = 0;  // "agent" or "direct"
  virtual Result<lease::Grant> Take(device::Gpu& gpu, const SettingWish& wish) = 0;
  virtual Status Release(device::Gpu& gpu, const std::string& lease) = 0;
  // Ends the caller's leases on a GPU (root: everybody's). How many there were.
  virtual Result<int> Reset(device::Gpu& gpu) = 0;
  // The leases on all GPUs: the caller's own, or everybody's.
  virtual Result<std::vector<lease::LeaseSummary>> Leases(bool all) = 0;
};

// `gpus` outlives it. An agent that is there and does not answer is an error: two hands on one knob are worse than
// none.
Result<std::unique_ptr<Control>> OpenControl(const Environment& environment, const Gpus& gpus);

// Everybody's leases as the agent tells them; nothing where no agent answers.
std::optional<std::vector<lease::LeaseSummary>> AgentLeases(const Environment& environment);

// Where leases are kept without an agent: HELIOSTAT_STATE, else for root the agent's folder, for others the user's
// state (HomePath() has the rules).
Result<std::string> StateFolder(const Environment& environment);

}  // namespace heliostat::gpu_access
