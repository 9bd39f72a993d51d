#pragma once

#include <span>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::policy {

// How much room a plan should keep for each service in addition to the forecast, as a share of the forecast. It is the
// largest recent excess of the measured rate over the forecast one slot ahead; it decays from slot to slot and is
// limited to 0.6. A service that was never underestimated needs no reserve. Not thread-safe.
class ServiceReserve {
 public:
  // Compares the rates of this slot with the forecast of one slot before. Call once per slot, when it begins.
  void Learn(std::span<const ServiceState> services, Outlook& outlook);
  const std::vector<double>& shares() const { return shares_; }  // [service]

 private:
  std::vector<double> expected_per_s_;  // [service]: requests in the next slot, as forecast; 0: no forecast
  std::vector<double> shares_;
};

}  // namespace heliostat::policy
