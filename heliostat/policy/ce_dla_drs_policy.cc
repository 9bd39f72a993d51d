#include "heliostat/policy/rolling_policy.h"

namespace heliostat::policy {
namespace {

// After CE-DLA with dynamic right-sizing: where and when jobs run, in one piece and at default settings, at the least
// electricity cost; nodes without work sleep. Without prices, at the least energy.
class CeDlaDrs : public RollingPolicy {
 public:
  explicit CeDlaDrs(const Options& options)
      : RollingPolicy(options, Means::kDefault, true, scenario::Performance::kThroughput) {}

 protected:
  plan::Outcome MakePlan(const Observation& /*observation*/, const scenario::Scenario& ahead) override {
    if (ahead.price_per_kwh.empty()) return Solve(ahead, {.energy_kwh = 1.0});
    return Solve(ahead, {.cost = 1.0, .energy_kwh = 1e-4});
  }
};

}  // namespace

Info CeDlaDrsPolicy() {
  return {"ce-dla-drs", "replans for least electricity cost, idle nodes sleep (after CE-DLA)",
          [](const Options& options) -> std::unique_ptr<Policy> { return std::make_unique<CeDlaDrs>(options); }};
}

}  // namespace heliostat::policy
