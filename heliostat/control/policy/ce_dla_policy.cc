#include "heliostat/control/policy/rolling_policy.h"

namespace heliostat::policy {
// After CE-DLA: chooses where and when jobs run, for the least electricity cost. Jobs run without interruption at
// default settings; every node stays on. Without prices, for the least energy.
Info CeDlaPolicy() {
  return {"ce-dla", "replans for least electricity cost, every node stays on (after CE-DLA)",
          [](const PolicyOptions& options) -> std::unique_ptr<Policy> {
            return std::make_unique<RollingPolicy>(options, Means::kDefault, false, scenario::Performance::kThroughput,
                                                   std::make_unique<LeastCost>());
          }};
}

}  // namespace heliostat::policy
