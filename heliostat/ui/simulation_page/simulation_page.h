#pragma once

#include <string>
#include <vector>

#include "heliostat/control/sim/comparison.h"

namespace heliostat::simulation_page {

// What a policy saves in one zone, against that zone's first policy.
struct ZoneSaving {
  std::string zone;
  std::string policy;
  double saving_percent = 0.0;  // of carbon
};

// A comparison and what the page says beside it. Points to what its owner keeps.
struct SimulationPage {
  const scenario::Scenario& scenario;
  const sim::Comparison& comparison;  // at least one run
  std::string knowledge;              // what policies saw of the future: "Policies saw forecasts ..."; may be empty
  std::vector<ZoneSaving> zones{};    // of a sweep; empty: no such section
};

// One HTML file that needs nothing else: the answer, the table, charts that a small script makes readable to the
// second. Without scripts all but the zoomable chart is there. What is too much for a reader is cut, and the page says
// so.
Result<std::string> Render(const SimulationPage& page);

}  // namespace heliostat::simulation_page
