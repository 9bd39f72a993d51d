#pragma once

#include <string>
#include <vector>

#include "heliostat/ui/report/html.h"
#include "heliostat/ui/simulation_page/columns.h"
#include "heliostat/ui/simulation_page/headline.h"
#include "heliostat/ui/simulation_page/simulation_page.h"

namespace heliostat::simulation_page {

// The sentence and the caveats of the headline, and four or five figures in large type.
report::Answer AnswerOf(const SimulationPage& page, const Headline& headline);

// Parts of the page, each as HTML markup.

// All figures of all policies; the best of each column is bold and has a star.
std::string TableMarkup(const SimulationPage& page);
// The meaning of the columns of that table.
std::string LegendMarkup(const SimulationPage& page);
// Latency of the services shown under each policy: objective, typical, worst, share of late requests.
std::string LatencyTableMarkup(const SimulationPage& page, const std::vector<std::size_t>& services);
// Carbon saved, one row per zone, one column per policy. Empty if `zones` is empty.
std::string ZoneTableMarkup(const std::vector<ZoneSaving>& zones);

}  // namespace heliostat::simulation_page
