#pragma once

#include "heliostat/control/loop/driver.h"
#include "heliostat/control/sim/foresight.h"

namespace heliostat::sim {

// What a policy is told of a scenario's signals at a slot. Refers to both of its arguments.
class SlotOutlook : public loop::MovingOutlook {
 public:
  SlotOutlook(const scenario::Scenario& scenario, Foresight& foresight);

  void MoveTo(Instant /*now*/, std::size_t slot) override { slot_ = slot; }
  policy::Forecast Ahead() override { return foresight_.At(slot_); }
  CarbonIntensity CarbonNow() const override { return scenario_.carbon[slot_]; }
  Watts RenewableNow() const override { return scenario_.renewable[slot_]; }
  std::optional<double> PriceNow() const override;
  CarbonIntensity DirtiestOfDay() const override;

 private:
  const scenario::Scenario& scenario_;
  Foresight& foresight_;
  std::size_t day_;  // in slots
  std::size_t slot_ = 0;
};

}  // namespace heliostat::sim
