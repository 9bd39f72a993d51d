#pragma once

#include <string>

#include "heliostat/base/io/json.h"
#include "heliostat/forecasting/forecast/history.h"
#include "heliostat/ui/cli/read_options.h"
#include "heliostat/ui/cli/syntax.h"

namespace heliostat::cli {

// Nothing is forecast further ahead than this.
inline constexpr Duration kLongestHorizon = std::chrono::days{7};

// Which series is forecast, and what stands beside it; shared by the commands
// that forecast.
struct HistoryArguments {
  std::string file;
  std::string column;
  std::string step;
  bool ignores_sources = false;
  std::string issued;  // a file of somebody else's forecasts
  std::string issued_column;
  std::string issued_lead = "24h";
  ReadArguments read;
};

void AddHistoryArguments(const Syntax& syntax, HistoryArguments& arguments);

// The column over the time that it is known, at the step asked for; beside it
// the generation by source when it is a carbon intensity, and the forecasts of
// it that its own file or --issued holds.
Result<forecast::History> ReadHistory(const HistoryArguments& arguments);

// What stands beside the series, for JSON: `sources` by name, and others'
// `forecasts` by name with the number of their runs or their lead.
io::Json BesideOf(const forecast::History& history);

}  // namespace heliostat::cli
