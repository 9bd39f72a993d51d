#pragma once

#include "heliostat/model/scenario/paths.h"
#include "heliostat/planning/planner/planner.h"

namespace heliostat::planner {

// How a plan does in the possible futures of its scenario. A path is one of them.
struct Risk {
  double share_asked = 0.0;
  double share_kept = 0.0;  // share of the paths in which every latency, the power cap and the budget are kept
  std::size_t paths = 0;
  double expected_carbon_kg = 0.0;  // mean over the paths
  double carbon_kg_at_share = 0.0;  // not exceeded in the share asked for
};

// A scenario such that a plan for it keeps all latencies in at least a share of the paths. In each slot, the rate of
// each service is the highest among the ceil(share * count) least extreme paths. Carbon, price and on-site power are
// means over all paths. A path is as extreme as its highest rate above the mean, in standard deviations.
scenario::Scenario CautiousScenario(const scenario::Scenario& scenario, const scenario::Paths& paths, double share);

// Evaluates the plan in every path. `limits` are the power cap and the carbon budget to be kept there, in addition to
// every latency. Deadlines do not depend on signals. A service that keeps its latency at the planned rate is assumed to
// keep it at any lower rate: only batches take longer to fill then, and a service need not wait for full batches.
Risk RiskOf(const scenario::Scenario& scenario, const scenario::Paths& paths, const plan::Limits& limits,
            const plan::Plan& plan, double share);

// An answer for the cautious scenario, and the risk of its plan. No risk without a plan.
struct AnswerAtRisk {
  plan::PlanAnswer answer;
  std::optional<Risk> risk{};
};

// Plans for the cautious scenario; score, value and bound refer to it. While too many paths exceed the carbon budget,
// it plans again with a tighter one, a few times, each within the time limit. When that does not help, there is no
// plan. Fails as MakePlan() does, and for a share outside (0, 1] or without paths (field "risk").
Result<AnswerAtRisk> MakePlanAtRisk(const scenario::Scenario& scenario, const scenario::Paths& paths,
                                    const PlanRequest& request, double share, const Watcher& watcher = {});

}  // namespace heliostat::planner
