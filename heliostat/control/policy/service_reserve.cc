#include "heliostat/control/policy/service_reserve.h"

#include <algorithm>

namespace heliostat::policy {
namespace {

// The share of the reserve that is left after one more slot.
constexpr double kKeptPerSlot = 0.97;
// The largest reserve, as a share of the forecast.
constexpr double kMostReserve = 0.6;

}  // namespace

void ServiceReserve::Learn(std::span<const ServiceState> services, Outlook& outlook) {
  expected_per_s_.resize(services.size(), 0.0);
  shares_.resize(services.size(), 0.0);
  if (services.empty()) return;
  const Forecast forecast = outlook.Ahead();
  for (std::size_t s = 0; s < services.size(); ++s) {
    shares_[s] *= kKeptPerSlot;
    if (expected_per_s_[s] > 0.0) {
      shares_[s] = std::clamp(services[s].requests_per_s / expected_per_s_[s] - 1.0, shares_[s], kMostReserve);
    }
    expected_per_s_[s] = forecast.slots() > 1 ? forecast.requests_per_s[s][1] : 0.0;
  }
}

}  // namespace heliostat::policy
