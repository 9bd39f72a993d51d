#pragma once

#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/ready_model.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

// A forecast that was asked for, and all that is told about it.
struct ShownForecast {
  std::string file;
  forecast::History past;
  std::string model;
  Instant fitted_until;
  forecast::ForecastAnswer answer;
  std::vector<std::vector<double>> scenarios;
};

// A drawing with a table for people, and JSON.
Output ReportOf(const ShownForecast& shown);
// The same as a page.
Result<std::string> PageOf(const ShownForecast& shown);
// Canonical files: the forecast with the edges of its bands, and its scenarios.
Result<std::string> CanonicalOf(const ShownForecast& shown);
Result<std::string> ScenariosOf(const ShownForecast& shown);

}  // namespace heliostat::cli
