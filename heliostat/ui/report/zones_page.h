#pragma once

#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/terminal.h"
#include "heliostat/ui/report/zone_year.h"

namespace heliostat::report {

// All built-in zones as one HTML page: the real zone that each represents, its typical day, a week, a heat map of the
// year, and statistics. The same options give the same page.
Result<std::string> ZonesPage(const ZonesOptions& options, const MadeBy& made_by);

// The same zones for a terminal: a week of each signal as a sparkline.
Result<std::string> ZonesText(const ZonesOptions& options, const TerminalStyle& style);

}  // namespace heliostat::report
