#pragma once

#include <string>

#include "heliostat/base/io/json.h"
#include "heliostat/forecasting/forecast/history.h"
#include "heliostat/ui/cli/read_options.h"
#include "heliostat/ui/cli/syntax.h"

namespace heliostat::cli {

// The longest horizon of a forecast.
inline constexpr Duration kLongestHorizon = std::chrono::days{7};

// Which series to forecast, and which other data models may use, as given on the command line. `forecast show` and
// `forecast backtest` share it.
struct HistoryArguments {
  std::string file;
  std::string column;
  std::string step;
  bool ignores_sources = false;
  std::string issued;  // a file of a provider's forecasts
  std::string issued_column;
  std::string issued_lead = "24h";
  ReadArguments read;
};

void AddHistoryArguments(const Syntax& syntax, HistoryArguments& arguments);

// Takes the configured file of carbon intensity where no file is given, and says so. Fails if the configuration is
// wrong.
Status TakeConfiguredFile(HistoryArguments& arguments);

// Reads the series from its first to its last known value, at the step of --step. For a carbon intensity the history
// also holds the generation by source; and in any case the forecasts of the series in its own file and in --issued.
// Fails if the column has no value, or if --issued holds another quantity.
Result<forecast::History> ReadHistory(const HistoryArguments& arguments);

// The other data of the history as JSON: `sources` by name, and `forecasts` of providers by name with the number of
// their runs or their lead.
io::Json BesideOf(const forecast::History& history);

}  // namespace heliostat::cli
