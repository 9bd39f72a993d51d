#pragma once

#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/ready_model.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

// A forecast of `heliostat forecast show`, and its input.
struct ShownForecast {
  std::string file;
  forecast::History past;
  std::string model;
  Instant fitted_until;
  forecast::ForecastAnswer answer;
  std::vector<std::vector<double>> scenarios;
};

// A plot and a table for the terminal, and JSON.
Output ReportOf(const ShownForecast& shown);
// The same as an HTML page.
Result<std::string> PageOf(const ShownForecast& shown, const report::MadeBy& made_by);
// The text of canonical CSV files: the forecast with the lower and upper edges of its bands, and its possible futures.
Result<std::string> CanonicalOf(const ShownForecast& shown);
Result<std::string> ScenariosOf(const ShownForecast& shown);

}  // namespace heliostat::cli
