#include "heliostat/control/policy/rolling_policy.h"

namespace heliostat::policy {
// After CE-DLA with dynamic right-sizing: chooses where and when jobs run, for the least electricity cost. Jobs run
// without interruption at default settings; nodes without work sleep. Without prices, for the least energy.
Info CeDlaDrsPolicy() {
  return {"ce-dla-drs", "replans for least electricity cost, idle nodes sleep (after CE-DLA)",
          [](const PolicyOptions& options) -> std::unique_ptr<Policy> {
            return std::make_unique<RollingPolicy>(options, Means::kDefault, true, scenario::Performance::kThroughput,
                                                   std::make_unique<LeastCost>());
          }};
}

}  // namespace heliostat::policy
