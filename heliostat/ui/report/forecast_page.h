#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/signals/signal/step_series.h"
#include "heliostat/ui/report/html.h"

namespace heliostat::report {

// A forecast as plain numbers, so that this layer does not depend on forecasting.
struct ForecastCurve {
  struct Range {
    double percent;  // probability that the true value is between low and high
    std::vector<double> low;
    std::vector<double> high;
  };

  std::string model;
  Instant start;
  Duration step;
  std::vector<double> values;
  std::vector<Range> ranges;  // widest first; each as long as the values
};

// The part of a forecast with the lowest (or highest) mean, in comparison with all of it.
struct BestWindow {
  Interval span;
  double mean = 0;
  double whole_mean = 0;
  double worst_mean = 0;  // of the worst part of the same length
  // Means of the edges of the widest range in this part; missing without ranges.
  double low = 0;
  double high = 0;

  // 0.22: 22 % below the mean of all. Missing if the mean is not above zero.
  double below() const;
};
// Four hours, or half of a short forecast; at least one step.
Duration WindowLength(const ForecastCurve& curve);
// nullopt if a value is missing or there are none.
std::optional<BestWindow> BestWindowOf(const ForecastCurve& curve, bool seeks_lowest);
// "4 h", "48 h", "30 min": hours up to four days.
std::string HoursText(Duration length);
// "Tue 4 Jan 12:00 to 16:00 UTC, 22 % below the mean of the next 48 h (143 instead of 183 gCO2e/kWh)".
std::string WindowText(const ForecastCurve& curve, const BestWindow& window, std::string_view unit);

// The errors of one model, one value per lead.
struct LeadErrors {
  std::string model;
  std::vector<double> error;       // in BacktestPage::error_unit
  std::vector<double> coverage90;  // percent; empty or missing where there are no bands
};

// An example from a backtest: the known values before the forecast, the forecast, and the true values.
struct ForecastExample {
  std::optional<signal::StepSeries> before;
  signal::StepSeries actual;
  ForecastCurve forecast;
};

// The content of the page of a backtest.
struct BacktestPage {
  std::string title;
  std::string subtitle;
  Answer answer;
  MadeBy made_by;
  std::string unit;        // of the signal
  std::string error_name;  // "MAPE", "MAE"
  std::string error_unit;  // "%", "EUR/MWh"
  Duration step;
  std::vector<LeadErrors> models;
  HtmlTable scores;
  std::vector<std::string> notes;
  std::optional<ForecastExample> example;  // one forecast
  std::optional<ForecastExample> week;     // a week of consecutive forecasts, each up to the next
};

// The content of the page of one forecast.
struct ForecastPage {
  std::string title;
  std::string subtitle;
  std::string unit;
  signal::StepSeries before;
  ForecastCurve forecast;
  std::vector<std::vector<double>> scenarios;  // possible futures; only the first few are drawn
  HtmlTable facts;
  HtmlTable values;
  std::string best_name = "Cleanest";  // of a part of the time
  bool seeks_lowest = true;            // otherwise the best values are the highest
  MadeBy made_by{};
};

// The whole page as HTML. Fails if a chart has no known value or if lengths differ.
Result<std::string> Render(const BacktestPage& page);
Result<std::string> Render(const ForecastPage& page);

}  // namespace heliostat::report
