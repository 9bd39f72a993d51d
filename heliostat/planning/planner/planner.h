#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/planning/plan/objective.h"
#include "heliostat/planning/plan/plan_json.h"

namespace heliostat::planner {

// kPrice: the decomposition. kExact: the decomposition, then the MILP. kAuto: the MILP only for small problems without
// a proof.
enum class Solver { kAuto, kExact, kPrice };
Result<Solver> ParseSolver(std::string_view name);

// What to plan for.
struct PlanRequest {
  plan::Objective objective = plan::Objective::kMinCarbon;
  plan::Limits limits;
  Solver solver = Solver::kAuto;
  plan::Effort effort;
  // Ends the search after so many rounds instead of the time limit: the same plan on every machine. Without the exact
  // solver, which only the clock ends.
  std::optional<int> rounds{};
};

// Fails for numbers out of range. Error::where is the field: "carbon budget" (kg), "performance floor", "facility cap"
// (kW), "time limit" (s), "gap" (percent) or "rounds".
Status Validate(const PlanRequest& request);

// Called after each search with its value and bound, for a progress line. From the thread that plans. May be empty.
using Watcher = std::function<void(double share_of_time, double value, double bound)>;

// Plans for the objective of the request. Fails for a request that Validate() refuses, and for min-cost without prices
// (field "objective"). An infeasible scenario is not a failure: the answer has that status and a reason. Where not
// every deadline can be kept, or no plan was found that does, the answer is a plan that misses some: kBestEffort.
Result<plan::PlanAnswer> MakePlan(const scenario::Scenario& scenario, const PlanRequest& request,
                                  const Watcher& watcher = {});

// Up to `points` plans on the trade-off between two axes, from one end to the other. No plan is worse than another on
// both axes. Each of the two ends gets its share of the time limit; the plans between them get the whole limit
// together. Without any plan, `answers` has one answer with the reason. Fails as MakePlan() does, for two equal axes
// (field "axes") and for fewer than two points (field "points").
enum class TradeOffAxis { kCarbon, kCost, kPerformance, kEnergy };
struct Frontier {
  TradeOffAxis first = TradeOffAxis::kCarbon;
  TradeOffAxis second = TradeOffAxis::kPerformance;
  std::vector<plan::PlanAnswer> answers;  // in order of the first axis
};
Result<Frontier> MakeFrontier(const scenario::Scenario& scenario, const PlanRequest& request, TradeOffAxis first,
                              TradeOffAxis second, int points, const Watcher& watcher = {});

// Why a job runs when it does: the cost of its slots, and the cost of alternatives.
struct Explanation {
  struct Slot {
    Instant time;
    double carbon_g_per_kwh = 0.0;  // of one more kWh in this slot
    double energy_price = 0.0;      // objective units per kWh of facility energy
    double gpu_rent = 0.0;          // objective units per GPU-hour of a node that is on
    std::string state;              // "runs 4 x 175 W", "waits", "before submit", ...
  };
  struct Alternative {
    std::string what;  // such as "at once and as fast as it can, 4 x 300 W in group v100"
    bool feasible = true;
    double extra = 0.0;  // objective units in addition to the plan
    double extra_carbon_kg = 0.0;
    std::string note;  // why it is not feasible
  };
  std::string job;
  std::string summary;  // two or three sentences
  std::string unit;     // of the objective: "kg CO2e", "EUR", "kWh", ...
  std::vector<Slot> slots;
  std::vector<Alternative> alternatives;
};
// Fails when there is no such job, or no plan in `answer` (both with the field "job").
Result<Explanation> Explain(const scenario::Scenario& scenario, const PlanRequest& request,
                            const plan::PlanAnswer& answer, const std::string& job);

}  // namespace heliostat::planner
