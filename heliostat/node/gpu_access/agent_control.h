#pragma once

#include "heliostat/node/agent/client.h"
#include "heliostat/node/gpu_access/control.h"

namespace heliostat::gpu_access {

// Takes leases from the node agent, over one connection. Waits for an agent that is starting, because until it has read
// its journals it does not know which leases there are. Not thread-safe.
class AgentControl final : public Control {
 public:
  // Longer than an agent waits for a driver that hangs.
  static constexpr std::chrono::milliseconds kStartPatience{15'000};

  // `patience`: how long to wait for an agent that is starting.
  explicit AgentControl(agent::Client client, std::chrono::milliseconds patience = kStartPatience)
      : client_(std::move(client)), patience_(patience) {}

  std::string_view name() const override { return "agent"; }
  Result<lease::Grant> Take(device::Gpu& gpu, const SettingWish& wish) override;
  Status Release(device::Gpu& gpu, const std::string& lease) override;
  Result<int> Reset(device::Gpu& gpu) override;
  Result<std::vector<lease::LeaseSummary>> Leases(bool all) override;

 private:
  Result<io::Json> Ask(const agent::Request& request);

  agent::Client client_;
  std::chrono::milliseconds patience_;
};

}  // namespace heliostat::gpu_access
