#pragma once

#include <string>
#include <vector>

#include "heliostat/control/sim/comparison.h"
#include "heliostat/ui/report/html.h"

namespace heliostat::simulation_page {

// The carbon that a policy saves in one zone, against the first policy of that zone.
struct ZoneSaving {
  std::string zone;
  std::string policy;
  double saving_percent = 0.0;  // of carbon
};

// The content of the page. Holds references to the scenario and the comparison; their owners must outlive it.
struct SimulationPage {
  const scenario::Scenario& scenario;
  const sim::Comparison& comparison;  // at least one run
  std::string knowledge;              // a sentence on what policies knew of the future; may be empty
  std::vector<ZoneSaving> zones{};    // of a sweep; empty: the page has no section on zones
  report::MadeBy made_by{};
  std::vector<std::string> tables{};  // paths of CSV files with its numbers, relative to the page
};

// The whole page as one HTML file without external resources: headline, table, charts, and a small script that shows
// their numbers. Without scripts only the zoomable chart is missing; a static one replaces it. Of many jobs, nodes or
// services the page shows a part and states that. Fails without policies.
Result<std::string> Render(const SimulationPage& page);

}  // namespace heliostat::simulation_page
