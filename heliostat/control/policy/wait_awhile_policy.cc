#include "heliostat/control/policy/calendar_policy.h"

namespace heliostat::policy {
namespace {

// After Let's Wait Awhile (Wiesner et al. 2021): each job runs in the slots with the least carbon intensity before its
// deadline, with interruptions where the job allows them. It only defers: settings are the default and workers the
// most.
class WaitAwhile : public CalendarPolicy {
 public:
  using CalendarPolicy::CalendarPolicy;

 protected:
  Calendar Plan(const CalendarRequest& request) const override {
    const int workers = request.choices.At(*request.choices.Default(request.group)).workers;
    const std::vector<double> carbon = CarbonOf(request);
    return request.job.asked.preemptible ? CheapestSlots(request, carbon, workers)
                                         : CheapestWindow(request, carbon, workers);
  }
};

}  // namespace

Info WaitAwhilePolicy() {
  return {
      "wait-awhile", "each job in the cleanest slots before its deadline, deferral only",
      [](const PolicyOptions& options) -> std::unique_ptr<Policy> { return std::make_unique<WaitAwhile>(options); }};
}

}  // namespace heliostat::policy
