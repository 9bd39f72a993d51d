#pragma once

#include <optional>
#include <string>

#include "heliostat/planning/planner/risk.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

// Everything that one run of `heliostat plan` has found out.
struct PlanFindings {
  std::string file;
  scenario::Scenario scenario;
  std::optional<plan::PlanAnswer> answer{};  // none: only a frontier was asked for
  std::optional<planner::Risk> risk{};
  std::optional<planner::Explanation> explanation{};
  std::optional<planner::Frontier> frontier{};
};

// For people and programs. Where there is no plan the output says so as its verdict.
Output ReportOf(const PlanFindings& planned);
Result<std::string> PageOf(const PlanFindings& planned);

}  // namespace heliostat::cli
