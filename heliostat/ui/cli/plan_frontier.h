#pragma once

#include <string>
#include <utility>

#include "heliostat/planning/planner/planner.h"
#include "heliostat/ui/report/plan_page.h"

namespace heliostat::cli {

// "carbon,performance": two different axes of a trade-off, as --pareto takes them.
Result<std::pair<planner::TradeOffAxis, planner::TradeOffAxis>> ParseAxes(const std::string& text);

// The plans of a trade-off, for people, programs and pages. Answers without a plan are left out.
std::string TextOf(const planner::Frontier& frontier, const scenario::Scenario& scenario);
io::Json JsonOf(const planner::Frontier& frontier);
report::FrontierChart ChartOf(const planner::Frontier& frontier, const scenario::Scenario& scenario);
report::PageSection SectionOf(const planner::Frontier& frontier, const scenario::Scenario& scenario);

}  // namespace heliostat::cli
