#include "heliostat/control/sim/outlook.h"

#include <algorithm>

namespace heliostat::sim {

SlotOutlook::SlotOutlook(const scenario::Scenario& scenario, Foresight& foresight, bool surprises)
    : scenario_(scenario),
      foresight_(foresight),
      is_certain_(!surprises && foresight.KnowsAll()),
      day_(static_cast<std::size_t>(std::max<std::int64_t>(1, std::chrono::days{1} / scenario.step))) {}

policy::Forecast SlotOutlook::Ahead() {
  policy::Forecast forecast = foresight_.At(slot_);
  forecast.is_certain = is_certain_;
  return forecast;
}

std::optional<double> SlotOutlook::PriceNow() const {
  if (scenario_.price_per_kwh.empty()) return std::nullopt;
  return scenario_.price_per_kwh[slot_];
}

CarbonIntensity SlotOutlook::DirtiestOfDay() const {
  const std::size_t first = slot_ + 1 > day_ ? slot_ + 1 - day_ : 0;
  return *std::max_element(scenario_.carbon.begin() + static_cast<std::ptrdiff_t>(first),
                           scenario_.carbon.begin() + static_cast<std::ptrdiff_t>(slot_ + 1));
}

}  // namespace heliostat::sim
