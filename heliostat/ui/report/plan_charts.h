#pragma once

#include <vector>

#include "heliostat/ui/report/gantt_chart.h"
#include "heliostat/ui/report/line_chart.h"
#include "heliostat/ui/report/plan_tables.h"

namespace heliostat::report {

// Charts of a plan over its horizon.

// Facility power, stacked by consumer, and the on-site power.
LineChart PowerChart(const PlanView& view);
// Carbon intensity of the grid, and its price if the scenario has prices.
std::vector<LineChart> SignalCharts(const PlanView& view);
// Nodes that are on, one line per group.
LineChart NodesChart(const PlanView& view);
// The `most` jobs that need the most energy, in the order of their first start, shaded by workers, with their windows.
// The first `linked` jobs of the scenario are links to their rows of JobTable().
GanttChart JobsChart(const PlanView& view, std::size_t most, std::size_t linked);
// Requests, replicas, setting and latency of one service.
std::vector<LineChart> ServiceCharts(const PlanView& view, std::size_t service);

}  // namespace heliostat::report
