#include "heliostat/control/policy/calendar_policy.h"

namespace heliostat::policy {
namespace {

// Each job runs in the slots with the lowest prices before its deadline; without prices, at once.
class PriceGreedy : public CalendarPolicy {
 public:
  using CalendarPolicy::CalendarPolicy;

 protected:
  Calendar Plan(const CalendarRequest& request) const override {
    const int workers = request.choices.At(*request.choices.Default(request.group)).workers;
    const std::vector<double> prices = PricesOf(request);
    return request.job.asked.preemptible ? CheapestSlots(request, prices, workers)
                                         : CheapestWindow(request, prices, workers);
  }
};

}  // namespace

Info PriceGreedyPolicy() {
  return {
      "price-greedy", "each job in the cheapest slots before its deadline",
      [](const PolicyOptions& options) -> std::unique_ptr<Policy> { return std::make_unique<PriceGreedy>(options); }};
}

}  // namespace heliostat::policy
