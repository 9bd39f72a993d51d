#pragma once

#include <string>
#include <vector>

#include "heliostat/ui/report/plan_tables.h"

namespace heliostat::report {

// Pictures of a plan over its horizon, each an SVG.

// Facility power, stacked by what draws it, beside the power that is on site.
Result<std::string> PowerChart(const PlanView& view);
// Carbon intensity of the grid, and price where there is one.
Result<std::vector<std::string>> SignalCharts(const PlanView& view);
Result<std::string> NodesChart(const PlanView& view);
// Jobs by their first start, shaded by workers, their windows behind them: the `most` that need the most energy. An
// error when there are none.
Result<std::string> JobsChart(const PlanView& view, std::size_t most);
// Replicas, setting and latency of one service.
Result<std::vector<std::string>> ServiceCharts(const PlanView& view, std::size_t service);

}  // namespace heliostat::report
