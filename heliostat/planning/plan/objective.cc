#include "heliostat/planning/plan/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "heliostat/base/core/check.h"

namespace heliostat::plan {
namespace {

struct Named {
  Objective objective;
  std::string_view name;
};
constexpr std::array<Named, 5> kObjectives{{{Objective::kMinCarbon, "min-carbon"},
                                            {Objective::kMaxPerformance, "max-performance"},
                                            {Objective::kMaxPpc, "max-ppc"},
                                            {Objective::kMinCost, "min-cost"},
                                            {Objective::kMinEnergy, "min-energy"}}};

}  // namespace

std::string_view NameOf(Objective objective) {
  for (const Named& known : kObjectives) {
    if (known.objective == objective) return known.name;
  }
  return "unknown";
}

Result<Objective> ParseObjective(std::string_view name) {
  std::string names;
  for (const Named& known : kObjectives) {
    if (known.name == name) return known.objective;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  }
  return Fail(ErrorCode::kInvalidArgument, "objective", fmt::format("'{}' is not an objective", Printable(name, 40)),
              "one of " + names);
}

double ValueOf(Objective objective, const Score& score) {
  switch (objective) {
    case Objective::kMinCarbon:
      return score.carbon_kg();
    case Objective::kMaxPerformance:
      return score.performance;
    case Objective::kMaxPpc:
      return score.ppc();
    case Objective::kMinCost:
      return score.total.cost;
    case Objective::kMinEnergy:
      return InKilowattHours(score.total.facility);
  }
  return 0.0;
}

double ValueOf(const Weights& weights, const Score& score) {
  return weights.carbon_kg * score.carbon_kg() + weights.cost * score.total.cost +
         weights.energy_kwh * InKilowattHours(score.total.facility) - weights.performance * score.performance;
}

std::string_view NameOf(Termination termination) {
  switch (termination) {
    case Termination::kOptimal:
      return "optimal";
    case Termination::kFeasible:
      return "feasible";
    case Termination::kBestEffort:
      return "best_effort";
    case Termination::kInfeasible:
      return "infeasible";
    case Termination::kNoPlan:
      return "no_plan";
  }
  return "no_plan";
}

const Plan& Outcome::plan() const {
  Check(has_plan(), "the outcome has no plan");
  return planned->plan;
}

const Score& Outcome::score() const {
  Check(has_plan(), "the outcome has no plan, so it has no score");
  return planned->score;
}

Outcome OutcomeWith(Planned planned, double value, double bound, double gap) {
  Outcome outcome{.planned = std::move(planned), .value = value, .bound = std::min(bound, value)};
  outcome.status = outcome.gap() <= gap ? Termination::kOptimal : Termination::kFeasible;
  return outcome;
}

double GapOf(double value, double bound) {
  const double scale = value != 0.0 ? std::abs(value) : std::abs(bound);
  return scale > 0.0 ? std::abs(value - bound) / scale : 0.0;
}

}  // namespace heliostat::plan
