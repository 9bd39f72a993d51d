#include <cmath>

#include "heliostat/control/policy/rolling_policy.h"

namespace heliostat::policy {
namespace {

// The PPC-driven policy of CA-RM: the most performance per kg of carbon. Performance is headroom here: work that is
// done early, and latencies below their objective. For the objective perf - q * carbon, q is the best ratio when the
// best value is zero (Dinkelbach). Each plan updates q. A q that is about right stays, so that the next search can
// begin from the last plan.
class MostPpc : public PlanGoal {
 public:
  plan::Outcome MakePlan(const Observation& /*observation*/, const scenario::Scenario& ahead,
                         PlanSolver& solver) override {
    plan::Outcome best;
    const int tries = ratio_ > 0.0 ? 2 : 4;
    for (int i = 0; i < tries; ++i) {
      // The first plan, for least carbon alone, gives the first ratio.
      const plan::Weights weights =
          ratio_ > 0.0 ? plan::Weights{.carbon_kg = 1.0, .energy_kwh = 1e-4, .performance = 1.0 / ratio_}
                       : plan::Weights{.carbon_kg = 1.0, .energy_kwh = 1e-4};
      plan::Outcome outcome = solver.Solve(ahead, weights);
      if (!outcome.has_plan()) return best;
      const double found = outcome.score().ppc();
      best = std::move(outcome);
      if (found <= 0.0 || (ratio_ > 0.0 && std::abs(found / ratio_ - 1.0) < kAboutRight)) break;
      ratio_ = found;
    }
    return best;
  }

 private:
  static constexpr double kAboutRight = 0.15;
  double ratio_ = 0.0;
};

}  // namespace

Info CaRmPpcPolicy() {
  return {"ca-rm-ppc", "replans for most performance per kg of carbon (after CA-RM)",
          [](const PolicyOptions& options) -> std::unique_ptr<Policy> {
            return std::make_unique<RollingPolicy>(options, Means::kAll, true, scenario::Performance::kHeadroom,
                                                   std::make_unique<MostPpc>());
          }};
}

}  // namespace heliostat::policy
