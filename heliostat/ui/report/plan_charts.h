#pragma once

#include <string>
#include <vector>

#include "heliostat/ui/report/plan_tables.h"

namespace heliostat::report {

// Charts of a plan over its horizon, each as SVG.

// Facility power, stacked by consumer, and the on-site power.
Result<std::string> PowerChart(const PlanView& view);
// Carbon intensity of the grid, and its price if the scenario has prices.
Result<std::vector<std::string>> SignalCharts(const PlanView& view);
// Nodes that are on, one line per group.
Result<std::string> NodesChart(const PlanView& view);
// The `most` jobs that need the most energy, in the order of their first start, shaded by workers, with their windows.
// Fails if there are no jobs.
Result<std::string> JobsChart(const PlanView& view, std::size_t most);
// Requests, replicas, setting and latency of one service.
Result<std::vector<std::string>> ServiceCharts(const PlanView& view, std::size_t service);

}  // namespace heliostat::report
