#include "heliostat/control/policy/rolling_policy.h"

namespace heliostat::policy {
// After CE-DLA with dynamic right-sizing: where and when jobs run, in one piece and at default settings, at the least
// electricity cost; nodes without work sleep. Without prices, at the least energy.
Info CeDlaDrsPolicy() {
  return {"ce-dla-drs", "replans for least electricity cost, idle nodes sleep (after CE-DLA)",
          [](const PolicyOptions& options) -> std::unique_ptr<Policy> {
            return std::make_unique<RollingPolicy>(options, Means::kDefault, true, scenario::Performance::kThroughput,
                                                   std::make_unique<LeastCost>());
          }};
}

}  // namespace heliostat::policy
