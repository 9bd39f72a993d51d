#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "heliostat/node/device/gpu.h"
#include "heliostat/node/lease/lease_table.h"

namespace heliostat::lease {

// Reads knobs and finds out whether this program or another one turned them last. Writes nothing. `gpu` and `machine`
// must outlive it. Not thread-safe.
class KnobWatch {
 public:
  // The energy counter is read at most this often in normal operation: an H200 takes 4 ms to answer.
  static constexpr std::chrono::seconds kCounterEvery{30};

  using Bases = std::map<device::Knob, device::Setting>;

  // `bases`: of knobs that the driver cannot read; without an entry, the default.
  KnobWatch(device::Gpu& gpu, const Machine& machine, Bases bases)
      : gpu_(&gpu), machine_(&machine), bases_(std::move(bases)) {}

  struct KnobState {
    std::optional<device::Setting> at;  // absent where the driver cannot read it
    bool is_fresh = false;              // the driver was reloaded since the knob was journalled
    bool is_foreign = false;            // another program turned it
  };
  Result<KnobState> Look(device::Knob knob, const LeasedKnob& leased);
  // A knob without leases, with its present value as base. kInvalidArgument for a base that the card does not support.
  struct Start {
    LeasedKnob leased;
    KnobState seen;
  };
  Result<Start> Begin(device::Knob knob);

  // True when the card already stands where writing `wanted` would leave it, as far as that can be known.
  bool IsThere(const LeasedKnob& leased, const KnobState& seen, const device::Setting& wanted) const;

  // The default power limit becomes its value in watts, as the driver reads it; other settings stay as they are.
  device::Setting Normal(const device::Setting& setting) const;
  // The number by which settings of one knob are compared when the lowest wins; the default is the highest.
  std::int64_t LevelOf(const device::Setting& setting) const;
  // The energy counter in millijoules, not older than `age`. Absent where there is no counter or it does not answer.
  std::optional<std::int64_t> Counter(std::chrono::seconds age);

 private:
  device::Gpu* gpu_;
  const Machine* machine_;
  Bases bases_;
  std::optional<std::int64_t> counter_mj_;
  std::chrono::seconds counted_at_{0};
};

}  // namespace heliostat::lease
