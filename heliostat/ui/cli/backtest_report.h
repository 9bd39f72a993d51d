#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/forecasting/forecast/backtest.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {

// A backtest that ran, and how it was asked for.
struct BacktestRun {
  std::string file;
  forecast::History history;
  forecast::BacktestSchedule schedule;
  forecast::BacktestResult result;
  bool is_leak_checked = false;
  std::vector<std::optional<Instant>> leaks;  // of each model, when checked: the origin that saw the future
};

// Longer than any file: a model that is fitted once.
inline constexpr Duration kNeverRefit = std::chrono::days{365 * 200};

// A table for people and the JSON of the contract.
Output ReportOf(const BacktestRun& run);
// The same as a page with charts.
Result<std::string> PageOf(const BacktestRun& run);

}  // namespace heliostat::cli
