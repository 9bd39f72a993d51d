#pragma once

#include <vector>

#include "heliostat/control/sim/comparison.h"
#include "heliostat/ui/simulation_page/scatter.h"
#include "heliostat/ui/simulation_page/strip_figure.h"
#include "heliostat/ui/simulation_page/time_figure.h"

namespace heliostat::simulation_page {

// A comparison on the time steps of the page. Holds references; their owners must outlive it.
struct PageView {
  const scenario::Scenario& scenario;
  const sim::Comparison& comparison;
  std::size_t bucket = 1;  // slots per step

  TimeGrid grid() const { return {scenario.horizon(), scenario.step * static_cast<std::int64_t>(bucket)}; }
};
// Combines slots into steps so that the page stays small: with many policies into fewer steps.
PageView ViewOf(const scenario::Scenario& scenario, const sim::Comparison& comparison);

// Facility power of one policy by consumer and by source, on-site power, and carbon intensity and price of the grid.
TimeFigure PowerFigure(const PageView& view, std::size_t run);

// Training power of each policy, below the carbon intensity of the grid.
StripFigure WorkFigure(const PageView& view);

// The services that the page shows: the `most` with the most requests, in that order.
std::vector<std::size_t> ServicesShown(const scenario::Scenario& scenario, std::size_t most);
// Latency of these services under one policy, with their latency objectives.
TimeFigure LatencyFigure(const PageView& view, std::size_t run, const std::vector<std::size_t>& services);

// Carbon against performance and, if jobs were done, carbon against the mean time until a job is done.
std::vector<Scatter> TradeOffs(const PageView& view);

}  // namespace heliostat::simulation_page
