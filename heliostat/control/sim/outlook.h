#pragma once

#include "heliostat/control/loop/driver.h"
#include "heliostat/control/sim/foresight.h"

namespace heliostat::sim {

// The outlook of a policy in a simulation: the scenario's present values, and the foresight. Both arguments must
// outlive it. Not thread-safe.
class SlotOutlook : public loop::MovingOutlook {
 public:
  // `surprises`: lengths of jobs may differ from their estimates, or nodes may fail.
  SlotOutlook(const scenario::Scenario& scenario, Foresight& foresight, bool surprises = true);

  void MoveTo(Instant /*now*/, std::size_t slot) override { slot_ = slot; }
  policy::Forecast Ahead() override;
  CarbonIntensity CarbonNow() const override { return scenario_.carbon[slot_]; }
  Watts RenewableNow() const override { return scenario_.renewable[slot_]; }
  std::optional<double> PriceNow() const override;
  CarbonIntensity DirtiestOfDay() const override;

 private:
  const scenario::Scenario& scenario_;
  Foresight& foresight_;
  bool is_certain_;
  std::size_t day_;  // in slots
  std::size_t slot_ = 0;
};

}  // namespace heliostat::sim
