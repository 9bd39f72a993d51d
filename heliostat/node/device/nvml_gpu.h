#pragma once

#include <memory>

#include "heliostat/node/device/gpu.h"
#include "heliostat/node/device/nvml_library.h"

namespace heliostat::device {

// An NVIDIA GPU. After a reload of the kernel driver, each call restarts NVML if needed and finds the card again by its
// UUID. Not thread-safe.
class NvmlGpu final : public Gpu {
 public:
  // The GPU at `index` in the driver's order. kUnavailable when it does not report its UUID.
  static Result<std::unique_ptr<Gpu>> Open(std::shared_ptr<nvml::Library> library, unsigned index);

  const Identity& identity() const override { return identity_; }
  const Abilities& abilities() const override { return abilities_; }
  Result<Reading> Read() override;
  Result<Joules> Energy() override;
  Result<Details> Inspect() override;
  Result<std::vector<ProcessUse>> Processes() override;
  Result<Setting> Stands(Knob knob) override;
  Result<Applied> Apply(const Setting& wanted) override;

 private:
  NvmlGpu(std::shared_ptr<nvml::Library> library, nvml::Device device, Identity identity);

  // Calls `function` for this card, and once more after restarting NVML when NVML was not initialised.
  template <typename... Parameters, typename... Arguments>
  nvml::Return Call(nvml::Return (*function)(nvml::Device, Parameters...), Arguments... arguments);
  // True when the card was found again.
  bool FindAgain();
  // Reads `value`; `is_told` is false when the driver does not report it. Fails only when card or driver are gone.
  template <typename Function, typename Value>
  Status Ask(Function function, Value& value, bool& is_told);

  void LearnAbilities();
  void LearnClocks();
  Result<Applied> ApplyLimit(const Setting& wanted);
  Result<Applied> ApplyClock(const Setting& wanted);
  SetOutcome SeenOnClock(const Setting& wanted);
  std::string Where() const;
  Error Failure(nvml::Return code, std::string_view doing) const;

  std::shared_ptr<nvml::Library> library_;
  nvml::Device device_;
  std::uint64_t generation_;
  Identity identity_;
  Abilities abilities_;
  unsigned long long used_until_ = 0;  // the last time stamp of processes' utilisation
};

}  // namespace heliostat::device
