#pragma once

#include <string>
#include <vector>

#include "heliostat/ui/simulation_page/columns.h"
#include "heliostat/ui/simulation_page/headline.h"
#include "heliostat/ui/simulation_page/simulation_page.h"

namespace heliostat::simulation_page {

// Parts of the page, each as markup.

// The headline's sentence, its caveats, and four or five figures of it in large type.
std::string AnswerMarkup(const SimulationPage& page, const Headline& headline);
// All figures of all policies; the best of each column bold and starred.
std::string TableMarkup(const SimulationPage& page);
// What the table's columns mean.
std::string LegendMarkup(const SimulationPage& page);
// Latency of the shown services under each policy: promised, typical, worst, requests late.
std::string LatencyTableMarkup(const SimulationPage& page, const std::vector<std::size_t>& services);
// Zones down, policies across. Empty without rows.
std::string ZoneTableMarkup(const std::vector<ZoneSaving>& zones);

}  // namespace heliostat::simulation_page
