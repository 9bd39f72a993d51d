#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "heliostat/node/device/gpu.h"
#include "heliostat/node/lease/lease_table.h"

namespace heliostat::lease {

// Looks at a knob and tells whose hand turned it last. Writes nothing. `gpu` and `machine` outlive it.
class KnobWatch {
 public:
  // How often the energy counter is asked unless something is amiss: an H200 takes 4 ms to answer.
  static constexpr std::chrono::seconds kCounterEvery{30};

  KnobWatch(device::Gpu& gpu, const Machine& machine) : gpu_(&gpu), machine_(&machine) {}

  struct KnobState {
    std::optional<device::Setting> at;  // nothing where the driver cannot tell
    bool is_fresh = false;              // the driver was loaded anew since the page was written
    bool is_foreign = false;            // somebody else turned it
  };
  Result<KnobState> Look(device::Knob knob, const LeasedKnob& leased);
  // A knob that nobody has a lease on, as it stands: the base of the first.
  struct Start {
    LeasedKnob leased;
    KnobState seen;
  };
  Result<Start> Begin(device::Knob knob);

  // True for a card that already stands where our writing `wanted` would leave it, as far as anybody can tell.
  bool IsThere(const LeasedKnob& leased, const KnobState& seen, const device::Setting& wanted) const;

  // Limits as numbers, the default one too; so does the driver read them.
  device::Setting Normal(const device::Setting& setting) const;
  // What is compared when the lowest wins.
  std::int64_t LevelOf(const device::Setting& setting) const;
  // The energy counter in millijoules, not older than `age`. Nothing where there is none or it does not answer.
  std::optional<std::int64_t> Counter(std::chrono::seconds age);

 private:
  device::Gpu* gpu_;
  const Machine* machine_;
  std::optional<std::int64_t> counter_mj_;
  std::chrono::seconds counted_at_{0};
};

}  // namespace heliostat::lease
