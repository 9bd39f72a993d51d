#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

// A finished backtest and its input.
struct BacktestRun {
  std::string file;
  forecast::History history;
  forecast::BacktestSchedule schedule;
  forecast::BacktestResult result;
  bool is_leak_checked = false;
  std::vector<std::optional<Instant>> leaks;  // per model, if checked: an origin whose forecast depends on the future
};

// Longer than any file: the model is fitted once.
inline constexpr Duration kNeverRefit = std::chrono::days{365 * 200};

// The table of scores, and the backtest document of the contract as JSON.
Output ReportOf(const BacktestRun& run);
// The same as an HTML page with charts.
Result<std::string> PageOf(const BacktestRun& run, const report::MadeBy& made_by);

}  // namespace heliostat::cli
