#pragma once

#include <memory>

#include "heliostat/node/gpu_access/control.h"
#include "heliostat/node/lease/gpu_leases.h"
#include "heliostat/node/lease/machine.h"

namespace heliostat::gpu_access {

// Keeps leases in journals on disk from this process. Holds the folder only while it turns a knob, so that several
// programs can share a machine without an agent, and an agent can start meanwhile. Only Take() puts leases in force;
// the others put back what has ended. Not thread-safe. Several processes may use the same folder.
class DirectControl final : public Control {
 public:
  // `gpus` must outlive it.
  DirectControl(std::string folder, const Gpus& gpus, std::shared_ptr<const lease::Machine> machine)
      : folder_(std::move(folder)), gpus_(gpus), machine_(std::move(machine)) {}

  std::string_view name() const override { return "direct"; }
  Result<lease::Grant> Take(device::Gpu& gpu, const SettingWish& wish) override;
  Status Release(device::Gpu& gpu, const std::string& id) override;
  Result<int> Reset(device::Gpu& gpu) override;
  Result<std::vector<lease::LeaseSummary>> Leases(bool all) override;

 private:
  struct Opened;
  Result<Opened> OpenLeases(device::Gpu& gpu, lease::OpenPurpose purpose = lease::OpenPurpose::kLook);

  std::string folder_;
  const Gpus& gpus_;
  std::shared_ptr<const lease::Machine> machine_;
};

}  // namespace heliostat::gpu_access
