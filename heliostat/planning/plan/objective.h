#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "heliostat/planning/plan/rounds.h"
#include "heliostat/planning/plan/score.h"

namespace heliostat::plan {

enum class Objective { kMinCarbon, kMaxPerformance, kMaxPpc, kMinCost, kMinEnergy };
std::string_view NameOf(Objective objective);
Result<Objective> ParseObjective(std::string_view name);
inline bool IsMaximised(Objective o) { return o == Objective::kMaxPerformance || o == Objective::kMaxPpc; }
// The value of the objective: kg, performance, performance a kg, money or kWh.
double ValueOf(Objective objective, const Score& score);

// What a plan has to keep, beside deadlines, latencies and capacity.
struct Limits {
  std::optional<double> carbon_budget_kg;
  std::optional<double> performance_floor;
  std::optional<Watts> facility_cap;  // mean facility power of every slot
  bool right_sizing = true;           // false: every node stays on
  bool finish_best_effort = false;    // true: jobs without a deadline must be done by the end of the horizon too
};

// Solvers minimise a sum: kg CO2e, money and kWh weighed against performance. Every objective is one of these, or a
// short sequence of them (max-ppc).
struct Weights {
  double carbon_kg = 0.0;
  double cost = 0.0;
  double energy_kwh = 0.0;
  double performance = 0.0;  // counted with a minus
  friend bool operator==(const Weights&, const Weights&) = default;
};
double ValueOf(const Weights& weights, const Score& score);

// Minimise `weights` under `limits`: what a solver is given.
struct Problem {
  const scenario::Scenario& scenario;
  Weights weights;
  Limits limits;
};

enum class Termination { kOptimal, kFeasible, kInfeasible, kNoPlan };
std::string_view NameOf(Termination termination);

// |value - bound| / |value|; 0 when both are 0, 1 when only the value is.
double GapOf(double value, double bound);

// A plan and what it comes to.
struct Planned {
  Plan plan;
  Score score;
};

// What a solver answers. `bound` is proven: no plan's value is better. It means nothing for kInfeasible.
struct Outcome {
  Termination status = Termination::kNoPlan;
  std::optional<Planned> planned{};  // there for kOptimal and kFeasible, and for no other status
  double value = 0.0;
  double bound = 0.0;
  std::string reason{};                 // why nothing is feasible, or why there is no plan, in the user's terms
  std::vector<std::size_t> unplaced{};  // without a plan: jobs that stood in its way, as far as the solver knows

  bool has_plan() const { return planned.has_value(); }
  // Only with a plan.
  const Plan& plan() const;
  const Score& score() const;
  double gap() const { return GapOf(value, bound); }
};

// The outcome with a plan, whose value is `value`: optimal when `bound` is within `gap` of it, else feasible. A bound
// above the value says no more than the value does.
Outcome OutcomeWith(Planned planned, double value, double bound, double gap);

struct Effort {
  Seconds time_limit{60.0};
  double gap = 1e-3;         // good enough to stop
  bool proof = true;         // false: a plan is all that is wanted, its bound may be poor
  Rounds* rounds = nullptr;  // counts and ends the search instead of the time limit, where the solver has rounds
};

}  // namespace heliostat::plan
