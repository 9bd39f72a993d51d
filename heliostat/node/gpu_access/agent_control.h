#pragma once

#include "heliostat/node/agent/client.h"
#include "heliostat/node/gpu_access/control.h"

namespace heliostat::gpu_access {

// Takes leases from the node agent, over one connection. Not thread-safe.
class AgentControl final : public Control {
 public:
  explicit AgentControl(agent::Client client) : client_(std::move(client)) {}

  std::string_view name() const override { return "agent"; }
  Result<lease::Grant> Take(device::Gpu& gpu, const SettingWish& wish) override;
  Status Release(device::Gpu& gpu, const std::string& lease) override;
  Result<int> Reset(device::Gpu& gpu) override;
  Result<std::vector<lease::LeaseSummary>> Leases(bool all) override;

 private:
  agent::Client client_;
};

}  // namespace heliostat::gpu_access
