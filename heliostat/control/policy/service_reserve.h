#pragma once

#include <span>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::policy {

// How much more than forecast one slot ahead was asked of each service lately, as a share of the forecast: what a plan
// should have room for. The worst surprise counts and fades from slot to slot. A service that was never underestimated
// needs no reserve. Not safe for several threads.
class ServiceReserve {
 public:
  // Compares the rates of this slot with what was forecast one slot before. Call once per slot, when it begins.
  void Learn(std::span<const ServiceState> services, Outlook& outlook);
  const std::vector<double>& shares() const { return shares_; }  // [service]

 private:
  std::vector<double> expected_per_s_;  // [service]: requests in the next slot, as forecast; 0: no forecast
  std::vector<double> shares_;
};

}  // namespace heliostat::policy
