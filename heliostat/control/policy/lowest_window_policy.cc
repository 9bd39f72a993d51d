#include "heliostat/control/policy/calendar_policy.h"

namespace heliostat::policy {
namespace {

// After GAIA's Lowest-Window (Hanafy et al. 2024): starts each job once, in the window in which its whole run has the
// least carbon intensity.
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
      "lowest-window", "each job without a break in the cleanest window before its deadline",
      [](const PolicyOptions& options) -> std::unique_ptr<Policy> { return std::make_unique<LowestWindow>(options); }};
}

}  // namespace heliostat::policy
