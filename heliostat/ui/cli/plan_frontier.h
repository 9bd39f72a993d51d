#pragma once

#include <string>
#include <utility>

#include "heliostat/planning/planner/planner.h"
#include "heliostat/ui/report/plan_page.h"

namespace heliostat::cli {

// Parses the value of --pareto: two different axes, such as "carbon,performance". An error names the flag.
Result<std::pair<planner::TradeOffAxis, planner::TradeOffAxis>> ParseAxes(const std::string& text);

// The plans of a trade-off as text, as JSON, as a chart and as a section of a page. Answers without a plan are left
// out.
std::string TextOf(const planner::Frontier& frontier, const scenario::Scenario& scenario);
io::Json JsonOf(const planner::Frontier& frontier);
report::FrontierChart ChartOf(const planner::Frontier& frontier, const scenario::Scenario& scenario);
report::PageSection SectionOf(const planner::Frontier& frontier, const scenario::Scenario& scenario);

}  // namespace heliostat::cli
