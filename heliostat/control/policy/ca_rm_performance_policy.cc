#include "heliostat/control/policy/rolling_policy.h"

namespace heliostat::policy {
namespace {

// The performance-constrained policy of CA-RM: the least carbon with every deadline and latency kept.
class LeastCarbon : public PlanGoal {
 public:
  plan::Outcome MakePlan(const Observation& /*observation*/, const scenario::Scenario& ahead,
                         PlanSolver& solver) override {
    return solver.Solve(ahead, kWeights);
  }

 private:
  // A small weight of energy, so that plans do not waste carbon-free power either.
  static constexpr plan::Weights kWeights{.carbon_kg = 1.0, .energy_kwh = 1e-4};
};

}  // namespace

Info CaRmPerformancePolicy() {
  return {"ca-rm-performance", "replans for least carbon with deadlines and latencies kept (after CA-RM)",
          [](const PolicyOptions& options) -> std::unique_ptr<Policy> {
            return std::make_unique<RollingPolicy>(options, Means::kAll, true, scenario::Performance::kThroughput,
                                                   std::make_unique<LeastCarbon>());
          }};
}

}  // namespace heliostat::policy
