#include "heliostat/control/policy/calendar_policy.h"

namespace heliostat::policy {
namespace {

// After GAIA's Lowest-Window (Hanafy et al. 2024): one start, chosen so that the job's whole run is cleanest.
class LowestWindow : public CalendarPolicy {
 public:
  using CalendarPolicy::CalendarPolicy;

 protected:
  Calendar Plan(const CalendarRequest& request) const override {
    const int workers = request.choices.At(*request.choices.Default(request.group)).workers;
    return CheapestWindow(request, CarbonOf(request), workers);
  }
};

}  // namespace

Info LowestWindowPolicy() {
  return {
      "lowest-window", "each job in the cleanest window on end before its deadline",
      [](const PolicyOptions& options) -> std::unique_ptr<Policy> { return std::make_unique<LowestWindow>(options); }};
}

}  // namespace heliostat::policy
