#include <algorithm>
#include <cmath>

#include "heliostat/control/policy/rolling_policy.h"

namespace heliostat::policy {
namespace {

// The carbon-constrained policy of CA-RM: the most performance within a carbon budget. Performance is headroom, as for
// PPC. The budget becomes a price of carbon: it rises while plans exceed the budget that is left, and falls while they
// leave some of it. Without a budget, a plan may emit a share of the carbon that it would emit without a carbon price.
class MostWithinBudget : public PlanGoal {
 public:
  explicit MostWithinBudget(const PolicyOptions& options)
      : budget_kg_(options.carbon_budget_kg), share_(options.budget_share) {}

  plan::Outcome MakePlan(const Observation& observation, const scenario::Scenario& ahead, PlanSolver& solver) override {
    plan::Outcome best = solver.Solve(ahead, WeightsAt(price_));
    if (!best.has_plan()) return best;
    const double allowed = Allowed(observation, ahead, solver);
    for (int i = 0; i < kTries; ++i) {
      const double emitted = best.score().carbon_kg();
      if (emitted > allowed * 1.03) {
        price_ = std::min(price_ * kSteep, kHighest);
      } else if (emitted < allowed * 0.9) {
        price_ = std::max(price_ / 1.5, kLowest);
        break;  // the lower price is for the next plan; this one is within the budget
      } else {
        break;
      }
      plan::Outcome outcome = solver.Solve(ahead, WeightsAt(price_));
      if (!outcome.has_plan()) break;
      best = std::move(outcome);
    }
    return best;
  }

 private:
  static constexpr int kTries = 6;
  static constexpr double kSteep = 3.0;
  static constexpr double kLowest = 1e-4;
  static constexpr double kHighest = 1e3;

  // Weighs performance against carbon at `price` per kg. Divided by the price, so that values stay in kg of carbon and
  // the solver's memory remains valid.
  static plan::Weights WeightsAt(double price) {
    return {.carbon_kg = 1.0, .energy_kwh = 1e-4, .performance = 1.0 / price};
  }

  double Allowed(const Observation& observation, const scenario::Scenario& ahead, PlanSolver& solver) {
    if (budget_kg_) {
      // The plan's part of the budget that is left, in proportion to the time that it covers.
      const double left = std::max(0.0, *budget_kg_ - InKilograms(observation.carbon_so_far));
      const Duration rest = observation.horizon - observation.now;
      const double part = Seconds(ahead.end() - observation.now) / Seconds(rest);
      return left * std::min(1.0, part);
    }
    if (!at_once_until_ || *at_once_until_ <= observation.now) {
      const plan::Outcome careless = solver.Solve(ahead, WeightsAt(kLowest));
      if (careless.has_plan()) {
        at_once_kg_per_s_ = careless.score().carbon_kg() / Seconds(ahead.end() - observation.now).count();
      }
      at_once_until_ = observation.now + std::chrono::hours{6};
    }
    return share_ * at_once_kg_per_s_ * Seconds(ahead.end() - observation.now).count();
  }

  std::optional<double> budget_kg_;
  double share_;
  double price_ = 0.02;
  std::optional<Instant> at_once_until_;
  double at_once_kg_per_s_ = 0.0;
};

}  // namespace

Info CaRmCarbonPolicy() {
  return {"ca-rm-carbon", "replans for most performance within a carbon budget (after CA-RM)",
          [](const PolicyOptions& options) -> std::unique_ptr<Policy> {
            return std::make_unique<RollingPolicy>(options, Means::kAll, true, scenario::Performance::kHeadroom,
                                                   std::make_unique<MostWithinBudget>(options));
          }};
}

}  // namespace heliostat::policy
