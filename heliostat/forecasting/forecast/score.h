#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/forecasting/forecast/bands.h"

namespace heliostat::forecast {

// How far forecasts were from what came. Missing actuals count nowhere; an
// actual of zero has no relative error and is left out of MAPE alone. NaN where
// there was nothing to score; no coverage where there were no bands.
struct ForecastScore {
  double mape_percent = 0;
  double mae = 0;
  double rmse = 0;
  double bias = 0;                       // mean of forecast - actual
  double pinball = 0;                    // mean over the edges of all bands and the point
  std::vector<double> coverage_percent;  // of each of kBandLevels
  double skill_percent = 0;              // less MAE than `yesterday`, on the same values
  std::size_t count = 0;                 // values scored
  std::size_t zeros = 0;                 // of them, actuals of zero
};

// Sums that become a Score; two of them add up to the score of both.
class ScoreSum {
 public:
  // `yesterday` is NaN where that forecast has no value, and then not compared.
  // Without bands (where limits leave no choice) only the point is scored.
  void Add(double forecast, double actual, double yesterday, std::span<const Band> bands, std::size_t lead);
  void Add(const ScoreSum& other);
  ForecastScore Result() const;

 private:
  double relative_ = 0, absolute_ = 0, square_ = 0, signed_ = 0, pinball_ = 0, reference_ = 0, versus_ = 0;
  std::vector<double> covered_;
  std::size_t count_ = 0, zeros_ = 0, banded_ = 0, compared_ = 0;
};

}  // namespace heliostat::forecast
