#include "heliostat/control/policy/rolling_policy.h"

namespace heliostat::policy {
// After CE-DLA: where and when jobs run, in one piece and at default settings, at the least electricity cost;
// every node stays on. Without prices, at the least energy.
Info CeDlaPolicy() {
  return {"ce-dla", "replans for least electricity cost, every node stays on (after CE-DLA)",
          [](const PolicyOptions& options) -> std::unique_ptr<Policy> {
            return std::make_unique<RollingPolicy>(options, Means::kDefault, false, scenario::Performance::kThroughput,
                                                   std::make_unique<LeastCost>());
          }};
}

}  // namespace heliostat::policy
