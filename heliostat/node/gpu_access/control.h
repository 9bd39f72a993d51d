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

// How long to wait for another program that holds the lease folder. Turning a knob takes milliseconds, or longer with a
// slow driver.
inline constexpr std::chrono::seconds kPatience{5};

// The `pid` of a wish that ends with the process that makes it. The agent takes its number from the kernel: the number
// that a process in a container has for itself is that of another process outside.
inline constexpr pid_t kThisProcess = 0;

// A setting that a user asks for.
struct SettingWish {
  device::Setting setting;
  std::chrono::seconds ttl{0};
  std::optional<pid_t> pid;  // the lease ends with this process; may be kThisProcess
  std::string job;
};

// Turns knobs for a user: through the node agent where one listens, or directly from this process, which then needs the
// rights to do so. Both journal leases on disk first, so that the previous value survives a crash. Not thread-safe.
class Control {
 public:
  virtual ~Control() = default;
  virtual std::string_view name() const = 0;  // "agent" or "direct"
  virtual Result<lease::Grant> Take(device::Gpu& gpu, const SettingWish& wish) = 0;
  virtual Status Release(device::Gpu& gpu, const std::string& lease) = 0;
  // Ends leases on a GPU and returns their number. Agent: those of the caller, or of all users for root. Direct: all
  // leases in the folder.
  virtual Result<int> Reset(device::Gpu& gpu) = 0;
  // The leases on all GPUs: those of the caller, or with `all` those of all users. Direct: all leases in the folder.
  virtual Result<std::vector<lease::LeaseSummary>> Leases(bool all) = 0;
};

// `gpus` must outlive the control. An agent that exists but does not answer is an error: turning knobs without it could
// interfere with its leases.
Result<std::unique_ptr<Control>> OpenControl(const Environment& environment, const Gpus& gpus);

// The leases of all users, from the agent. Absent where no agent answers.
std::optional<std::vector<lease::LeaseSummary>> AgentLeases(const Environment& environment);

// The folder of leases without an agent: HELIOSTAT_STATE; without it the agent's folder for root, and the user's state
// folder for others (see HomePath()).
Result<std::string> StateFolder(const Environment& environment);

}  // namespace heliostat::gpu_access
