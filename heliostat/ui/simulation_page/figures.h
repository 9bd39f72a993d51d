#pragma once

#include <vector>

#include "heliostat/control/sim/comparison.h"
#include "heliostat/ui/simulation_page/scatter.h"
#include "heliostat/ui/simulation_page/strip_figure.h"
#include "heliostat/ui/simulation_page/time_figure.h"

namespace heliostat::simulation_page {

// A comparison on the steps in which the page shows it.
struct PageView {
  const scenario::Scenario& scenario;
  const sim::Comparison& comparison;
  std::size_t bucket = 1;  // slots a step

  TimeGrid grid() const { return {scenario.horizon(), scenario.step * static_cast<std::int64_t>(bucket)}; }
};
// Slots are put together until there are no more steps than a page can hold for so many policies.
PageView ViewOf(const scenario::Scenario& scenario, const sim::Comparison& comparison);

// Facility power of one policy by what draws it, beside the sun on site and the grid's carbon and price; and where it
// came from.
TimeFigure PowerFigure(const PageView& view, std::size_t run);

// When each policy trained, below the grid's carbon.
StripFigure WorkFigure(const PageView& view);

// Services that the page shows, those with the most requests first.
std::vector<std::size_t> ServicesShown(const scenario::Scenario& scenario, std::size_t most);
// Latency of these services under one policy, beside what was promised.
TimeFigure LatencyFigure(const PageView& view, std::size_t run, const std::vector<std::size_t>& services);

// Carbon against performance, and against the mean time until a job is done (only where jobs were done).
std::vector<Scatter> TradeOffs(const PageView& view);

}  // namespace heliostat::simulation_page
