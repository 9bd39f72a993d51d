#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "heliostat/planning/plan/rounds.h"
#include "heliostat/planning/plan/score.h"

namespace heliostat::plan {

enum class Objective { kMinCarbon, kMaxPerformance, kMaxPpc, kMinCost, kMinEnergy };
std::string_view NameOf(Objective objective);
// By its name in plan documents, such as "min-carbon". Fails with the allowed names.
Result<Objective> ParseObjective(std::string_view name);
inline bool IsMaximised(Objective o) { return o == Objective::kMaxPerformance || o == Objective::kMaxPpc; }
// The value of the objective, in its own unit: kg, performance, performance per kg, money or kWh.
double ValueOf(Objective objective, const Score& score);

// Limits that a plan has to keep, in addition to deadlines, latencies and capacity.
struct Limits {
  std::optional<double> carbon_budget_kg;
  std::optional<double> performance_floor;
  std::optional<Watts> facility_cap;  // on the mean facility power of every slot
  bool right_sizing = true;           // false: every node stays on
  bool finish_best_effort = false;    // true: jobs without a deadline must be done by the end of the horizon
};

// Solvers minimise a weighted sum of kg CO2e, money and kWh, less weighted performance. Each objective is one such sum,
// or a short sequence of them (max-ppc).
struct Weights {
  double carbon_kg = 0.0;
  double cost = 0.0;
  double energy_kwh = 0.0;
  double performance = 0.0;  // subtracted
  friend bool operator==(const Weights&, const Weights&) = default;
};
double ValueOf(const Weights& weights, const Score& score);

// The input of a solver: minimise `weights` under `limits`. The scenario must outlive it.
struct Problem {
  const scenario::Scenario& scenario;
  Weights weights;
  Limits limits;
};

// How a search ended. kOptimal: the gap is small enough. kFeasible: it is not. kBestEffort: the plan misses deadlines,
// because no plan keeps all of them or none was found. kInfeasible: it is proven that no plan exists. kNoPlan: none was
// found.
enum class Termination { kOptimal, kFeasible, kBestEffort, kInfeasible, kNoPlan };
std::string_view NameOf(Termination termination);

// |value - bound| / |value|; 0 when both are 0, 1 when only the value is.
double GapOf(double value, double bound);

// A plan and its score.
struct Planned {
  Plan plan;
  Score score;
};

// A job that a plan does not finish by its deadline.
struct Miss {
  std::size_t job = 0;
  std::optional<Duration> late{};  // nothing: the plan does not finish it
  std::string reason{};            // one sentence for users, without a full stop
};

// The result of a solver. `bound` is proven: no plan has a better value. It has no meaning for kInfeasible.
struct Outcome {
  Termination status = Termination::kNoPlan;
  std::optional<Planned> planned{};  // not for kInfeasible and kNoPlan
  double value = 0.0;
  double bound = 0.0;
  std::string reason{};                 // for users: why it is infeasible, or why there is no plan
  std::vector<std::size_t> unplaced{};  // without a plan: jobs that found no place, if known
  std::vector<Miss> missed{};           // for kBestEffort only
  std::size_t least_misses = 0;         // proven: every plan misses at least as many deadlines
  bool time_decided = false;            // the clock ended the search: a faster machine may find another plan
  bool rounds_decided = false;          // the rounds ended it: more of them may find a better plan

  bool has_plan() const { return planned.has_value(); }
  // Call only with a plan.
  const Plan& plan() const;
  const Score& score() const;
  double gap() const { return GapOf(value, bound); }
};

// An outcome with a plan of this value: optimal when the gap to `bound` is at most `gap`, else feasible. A bound above
// the value is lowered to it.
Outcome OutcomeWith(Planned planned, double value, double bound, double gap);

// When a solver may stop.
struct Effort {
  Seconds time_limit{60.0};
  double gap = 1e-3;         // relative; the search stops below it
  bool proof = true;         // false: only a plan is needed; the bound may be poor
  Rounds* rounds = nullptr;  // ends the search instead of the time limit, for solvers with rounds; not owned
  unsigned threads = 0;      // of solvers that use several; 0: one per core. The plan does not depend on it
  // With these, a search goes on after its first whole plan: it improves the plan until these rounds are over, no round
  // makes progress, or the time limit ends it. Not owned.
  Rounds* improving = nullptr;
  // Called with the value and the bound of every better plan meanwhile.
  std::function<void(double value, double bound)> on_better{};
};

}  // namespace heliostat::plan
