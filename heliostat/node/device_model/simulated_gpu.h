#pragma once

#include <optional>
#include <string>

#include "heliostat/node/device/gpu.h"
#include "heliostat/node/device_model/card.h"

namespace heliostat::device_model {

// A GPU simulated from a card model and a load. Its time passes only in Advance(). For tests, simulations and shadow
// runs. Not thread-safe.
class SimulatedGpu final : public device::Gpu {
 public:
  // `card` must outlive it.
  SimulatedGpu(const CardModel& card, int index);

  const device::Identity& identity() const override { return identity_; }
  const device::Abilities& abilities() const override { return abilities_; }
  Result<device::Reading> Read() override;
  Result<Joules> Energy() override;
  Result<device::Details> Inspect() override;
  Result<device::Setting> Stands(device::Knob knob) override;
  Result<device::Applied> Apply(const device::Setting& wanted) override;

  // Sets what runs from now on; absent: idle.
  void Run(std::optional<CardLoad> load) { load_ = load; }
  void Advance(Seconds duration);
  double samples() const { return samples_; }

  // Calls of this kind return `error` from now on; absent: they work again.
  void FailReads(std::optional<Error> error) { read_failure_ = std::move(error); }
  void FailWrites(std::optional<Error> error) { write_failure_ = std::move(error); }
  // Sets a knob as another program would: no checks, not counted in writes().
  void SetBehindOurBack(const device::Setting& setting);
  // Reloads the driver: settings at their default, the energy counter at 0.
  void Reload();
  // Writes that reached the card, resets included.
  int writes() const { return writes_; }
  // Power limits are rounded down to whole multiples of this many milliwatts; 1: as asked.
  void RoundLimits(std::int64_t step_mw) { limit_step_mw_ = step_mw; }

 private:
  device::Setting& At(device::Knob knob);

  const CardModel* card_;
  device::Identity identity_;
  device::Abilities abilities_;
  device::Setting power_limit_ = device::Setting::Default(device::Knob::kPowerLimit);
  device::Setting core_clock_ = device::Setting::Default(device::Knob::kCoreClock);
  device::Setting memory_clock_ = device::Setting::Default(device::Knob::kMemoryClock);
  std::optional<CardLoad> load_;
  Joules energy_;
  double samples_ = 0.0;
  std::optional<Error> read_failure_;
  std::optional<Error> write_failure_;
  int writes_ = 0;
  std::int64_t limit_step_mw_ = 1;
};

}  // namespace heliostat::device_model
