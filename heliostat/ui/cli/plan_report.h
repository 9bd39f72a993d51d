#pragma once

#include <optional>
#include <string>

#include "heliostat/planning/planner/risk.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/plan_answer.h"

namespace heliostat::cli {

// The results of one run of `heliostat plan`.
struct PlanFindings {
  std::string file;
  scenario::Scenario scenario;
  std::optional<plan::PlanAnswer> answer{};  // nullopt: only a trade-off was requested
  std::vector<PlanBaseline> baselines{};     // of a plan, to compare it with
  std::optional<planner::Risk> risk{};
  std::optional<planner::Explanation> explanation{};
  std::optional<planner::Frontier> frontier{};
};

// Whether there is a plan, or at least one point of a trade-off.
bool HasPlan(const PlanFindings& planned);
// The results as text and JSON. Output::verdict is set without a plan, and for one that misses deadlines. Without a
// plan `text` is empty.
Output ReportOf(const PlanFindings& planned);
// The results as an HTML page. Call it only if HasPlan().
Result<std::string> PageOf(const PlanFindings& planned, const report::MadeBy& made_by);

}  // namespace heliostat::cli
