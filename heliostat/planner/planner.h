#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heliostat/plan/objective.h"
#include "heliostat/plan/plan_json.h"

namespace heliostat::planner {

enum class Solver { kAuto, kExact, kPrice };
Result<Solver> ParseSolver(std::string_view name);

struct Request {
  plan::Objective objective = plan::Objective::kMinCarbon;
  plan::Limits limits;
  Solver solver = Solver::kAuto;
  plan::Effort effort;
};

// How a plan fares in the paths that its scenario's signals may take.
struct Risk {
  double share_asked = 0.0;
  double share_kept = 0.0;  // of the paths: every latency, the power cap and the carbon budget kept
  std::size_t paths = 0;
  double expected_carbon_kg = 0.0;  // mean over the paths
  double carbon_kg_at_share = 0.0;  // what the asked share of the paths does not exceed
};

// A plan with its certificate; without one, certificate.reason says why.
struct Answer {
  plan::Plan plan;
  plan::Score score;
  plan::Certificate certificate;
  std::optional<Risk> risk{};  // of plans made under uncertainty

  bool has_plan() const {
    return certificate.status == plan::Termination::kOptimal || certificate.status == plan::Termination::kFeasible;
  }
};

// Called now and then with the best value and bound so far, for a progress line. May be empty.
using Watcher = std::function<void(double share_of_time, double value, double bound)>;

// Fails for a request that makes no sense (min-cost without prices, a negative budget). Infeasible is an answer.
Result<Answer> MakePlan(const scenario::Scenario& scenario, const Request& request, const Watcher& watcher = {});

// One end of a trade-off to the other: `points` plans, each the least carbon (or cost) for its performance, or the
// least of one for a limit on the other. No point is beaten in both.
enum class Axis { kCarbon, kCost, kPerformance, kEnergy };
struct Frontier {
  Axis first = Axis::kCarbon;
  Axis second = Axis::kPerformance;
  std::vector<Answer> answers;  // in order of the first axis
};
Result<Frontier> MakeFrontier(const scenario::Scenario& scenario, const Request& request, Axis first, Axis second,
                              int points, const Watcher& watcher = {});

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
Result<Explanation> Explain(const scenario::Scenario& scenario, const Request& request, const Answer& answer,
                            const std::string& job);

}  // namespace heliostat::planner
