#include "heliostat/policy/rolling_policy.h"

namespace heliostat::policy {
namespace {

// After CE-DLA: where and when jobs run, in one piece and at default settings, at the least electricity cost;
// every node stays on. Without prices, at the least energy.
class CeDla : public RollingPolicy {
 public:
  explicit CeDla(const Options& options)
      : RollingPolicy(options, Means::kDefault, false, scenario::Performance::kThroughput) {}

 protected:
  plan::Outcome MakePlan(const Observation& /*observation*/, const scenario::Scenario& ahead) override {
    if (ahead.price_per_kwh.empty()) return Solve(ahead, {.energy_kwh = 1.0});
    return Solve(ahead, {.cost = 1.0, .energy_kwh = 1e-4});
  }
};

}  // namespace

Info CeDlaPolicy() {
  return {"ce-dla", "replans for least electricity cost, every node stays on (after CE-DLA)",
          [](const Options& options) -> std::unique_ptr<Policy> { return std::make_unique<CeDla>(options); }};
}

}  // namespace heliostat::policy
