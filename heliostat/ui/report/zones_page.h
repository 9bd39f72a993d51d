#pragma once

#include <string>

#include "heliostat/base/core/error.h"
#include "heliostat/ui/report/terminal.h"
#include "heliostat/ui/report/zone_year.h"

namespace heliostat::report {

// All built-in zones as one HTML page: what each stands for, its typical day, a
// week, the year as a carpet, and its statistics. A function of the options alone.
Result<std::string> ZonesPage(const ZonesOptions& options);

// The same zones for a terminal: a week of each trace as a line of blocks.
Result<std::string> ZonesText(const ZonesOptions& options, const TerminalStyle& style);

}  // namespace heliostat::report
