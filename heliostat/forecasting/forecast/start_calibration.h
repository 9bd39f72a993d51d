#pragma once

#include <vector>

#include "heliostat/forecasting/forecast/start_time.h"

namespace heliostat::forecast {

// The times of a question in steps from the begin of the signal ahead. They are the same for every past forecast.
struct StartGrid {
  std::vector<double> starts;  // the first is now
  double length = 0.0;         // of the job
};

// The mean of `values` over a job of the grid that begins at `start`.
double JobMean(const StartGrid& grid, double start, std::span<const double> values);

// Asks the question of each past forecast and compares the promised saving with the one that was had. The best of many
// forecast hours tends to be one that was forecast too low, so a forecast promises too much; how much depends on the
// signal and the season, so newer questions count more. Refers to the grid and the signal, which must outlive it.
// Immutable.
class StartCalibration {
 public:
  StartCalibration(const StartGrid& grid, const SignalAhead& ahead);

  // The saving to expect where the forecast promises `promised`.
  double Expect(double promised) const { return share_ * promised; }
  // Sets the range and the chance of an option whose saving is set, which begins at `start`. Without past forecasts the
  // saving is taken as certain.
  void AddRange(double start, StartOption& option) const;

 private:
  // One past question whose forecast promised a saving. Savings are in units of `Unit()`.
  struct Case {
    double promised = 0.0;
    double had = 0.0;
    double spread = 0.0;
    double weight = 0.0;
  };
  // The error of a past saving in units of its spread.
  struct ScaledError {
    double error = 0.0;
    double weight = 0.0;
  };

  // What savings are measured in: the forecast mean of starting now for relative errors, else 1.
  double Unit(std::span<const double> expected) const;
  // The root mean square of what the past errors, other than those of forecast number `except`, would change in the
  // saving of a start of `expected`.
  double Spread(std::span<const double> expected, double start, std::size_t except) const;
  std::vector<Case> Ask() const;
  void Learn(const std::vector<Case>& cases);
  // The error below which `share` of the weight is.
  double ErrorAt(double share) const;

  const StartGrid& grid_;
  const SignalAhead& ahead_;
  std::vector<std::vector<double>> past_errors_;  // of each past forecast, in its scale
  double share_ = 1.0;                            // of a promised saving that was had
  double usual_spread_ = 0.0;                     // mean of the past questions
  double level_ = 1.0;                            // share of past errors in the range
  std::vector<ScaledError> errors_;               // smallest first
  double weight_ = 0.0;                           // of all errors
};

}  // namespace heliostat::forecast
