#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/planning/plan/objective.h"
#include "heliostat/planning/plan/plan_json.h"

namespace heliostat::planner {

enum class Solver { kAuto, kExact, kPrice };
Result<Solver> ParseSolver(std::string_view name);

struct PlanRequest {
  plan::Objective objective = plan::Objective::kMinCarbon;
  plan::Limits limits;
  Solver solver = Solver::kAuto;
  plan::Effort effort;
};

// Fails for numbers that make no sense. The error's place is the field: "carbon budget" (kg), "performance floor",
// "facility cap" (kW), "time limit" (s) or "gap" (percent).
Status Validate(const PlanRequest& request);

// Called now and then with the best value and bound so far, for a progress line. May be empty.
using Watcher = std::function<void(double share_of_time, double value, double bound)>;

// Fails for a request that Validate() refuses, and for min-cost without prices (field "objective"). Infeasible is an
// answer.
Result<plan::PlanAnswer> MakePlan(const scenario::Scenario& scenario, const PlanRequest& request,
                                  const Watcher& watcher = {});

// One end of a trade-off to the other: `points` plans, each the least carbon (or cost) for its performance, or the
// least of one for a limit on the other. No point is beaten in both.
enum class TradeOffAxis { kCarbon, kCost, kPerformance, kEnergy };
struct Frontier {
  TradeOffAxis first = TradeOffAxis::kCarbon;
  TradeOffAxis second = TradeOffAxis::kPerformance;
  std::vector<plan::PlanAnswer> answers;  // in order of the first axis
};
Result<Frontier> MakeFrontier(const scenario::Scenario& scenario, const PlanRequest& request, TradeOffAxis first,
                              TradeOffAxis second, int points, const Watcher& watcher = {});

// Why a job runs when it does: what its slots cost it, and what the alternatives would have.
struct Explanation {
  struct Slot {
    Instant time;
    double carbon_g_per_kwh = 0.0;  // of the energy that one more watt here would draw
    double energy_price = 0.0;      // objective units a kWh of facility energy
    double gpu_rent = 0.0;          // objective units a GPU-hour: nodes that must be on, and GPUs that are short
    std::string state;              // "runs 4 x 175 W", "waits", "before submit", ...
  };
  struct Alternative {
    std::string what;  // "at once", "2 workers throughout", "at the default setting", "in group v100", ...
    bool feasible = true;
    double extra = 0.0;  // objective units more than the plan
    double extra_carbon_kg = 0.0;
    std::string note;  // why it is not feasible
  };
  std::string job;
  std::string summary;  // two or three sentences
  std::string unit;     // of objective units: "kg CO2e", "EUR", "kWh", ...
  std::vector<Slot> slots;
  std::vector<Alternative> alternatives;
};
Result<Explanation> Explain(const scenario::Scenario& scenario, const PlanRequest& request,
                            const plan::PlanAnswer& answer, const std::string& job);

}  // namespace heliostat::planner
