#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/signals/signal/step_series.h"
#include "heliostat/ui/report/html.h"

namespace heliostat::report {

// A forecast as a page shows it: plain numbers, so that this layer need not know
// how they came to be.
struct ForecastCurve {
  struct Range {
    double percent;  // of the truth that should lie between low and high
    std::vector<double> low;
    std::vector<double> high;
  };

  std::string model;
  Instant start;
  Duration step;
  std::vector<double> values;
  std::vector<Range> ranges;  // widest first; each as long as the values
};

// How one model errs by lead.
struct LeadErrors {
  std::string model;
  std::vector<double> error;       // in percent or in the signal's unit, as the page says
  std::vector<double> coverage90;  // percent; empty or missing where it has no bands
};

// A piece of a backtest: what was known, what was said, what came.
struct ForecastExample {
  std::optional<signal::StepSeries> before;
  signal::StepSeries actual;
  ForecastCurve forecast;
};

struct BacktestPage {
  std::string title;
  std::string subtitle;
  std::string unit;        // of the signal
  std::string error_name;  // "MAPE", "MAE"
  std::string error_unit;  // "%", "EUR/MWh"
  Duration step;
  std::vector<LeadErrors> models;
  HtmlTable scores;
  std::vector<std::string> notes;
  std::optional<ForecastExample> example;  // one forecast
  std::optional<ForecastExample> week;     // the first steps of a week's forecasts, one after the other
};

struct ForecastPage {
  std::string title;
  std::string subtitle;
  std::string unit;
  signal::StepSeries before;
  ForecastCurve forecast;
  std::vector<std::vector<double>> scenarios;  // possible futures; only the first few are drawn
  HtmlTable facts;
  HtmlTable values;
};

// Whole pages. Errors where nothing is known or lengths differ.
Result<std::string> Render(const BacktestPage& page);
Result<std::string> Render(const ForecastPage& page);

}  // namespace heliostat::report
