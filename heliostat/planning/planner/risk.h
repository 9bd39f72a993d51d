#pragma once

#include "heliostat/model/scenario/paths.h"
#include "heliostat/planning/planner/planner.h"

namespace heliostat::planner {

// How a plan fares in the paths that its scenario's signals may take.
struct Risk {
  double share_asked = 0.0;
  double share_kept = 0.0;  // of the paths: every latency, the power cap and the carbon budget kept
  std::size_t paths = 0;
  double expected_carbon_kg = 0.0;  // mean over the paths
  double carbon_kg_at_share = 0.0;  // what the asked share of the paths does not exceed
};

// The scenario that a plan must do for so that it does in a share of the paths: every service's rate is the highest
// among the ceil(share * count) least extreme paths, slot by slot; carbon, price and on-site power are means of all.
// How extreme a path is: how far a rate of it lies above the mean at most, in standard deviations.
scenario::Scenario CautiousScenario(const scenario::Scenario& scenario, const scenario::Paths& paths, double share);

// What the plan comes to in every path. `limits` are those that are to be kept there: power cap and carbon budget,
// beside every latency. Deadlines hang on no signal. A service whose latency is kept at the planned rate is taken to
// keep it at any lower one: what takes longer then is the forming of batches, and a service need not wait for full
// ones.
Risk RiskOf(const scenario::Scenario& scenario, const scenario::Paths& paths, const plan::Limits& limits,
            const plan::Plan& plan, double share);

// An answer for the cautious scenario, and how its plan fares in the paths: nothing without a plan.
struct AnswerAtRisk {
  plan::PlanAnswer answer;
  std::optional<Risk> risk{};
};

// Plans on the cautious scenario; score, value and bound are of that one. A carbon budget that too many paths break is
// tightened for the planner, a few times, each within the time limit; no plan when that does not help. Fails as
// MakePlan does, and for a share outside (0, 1] or without paths.
Result<AnswerAtRisk> MakePlanAtRisk(const scenario::Scenario& scenario, const scenario::Paths& paths,
                                    const PlanRequest& request, double share, const Watcher& watcher = {});

}  // namespace heliostat::planner
