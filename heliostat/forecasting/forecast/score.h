#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/forecasting/forecast/bands.h"

namespace heliostat::forecast {

// Measures of the distance of forecasts to the actual values. Missing actual values are ignored; an actual value of
// zero has no relative error and is only ignored in MAPE. NaN when there is no value to score; no coverage without
// bands.
struct ForecastScore {
  double mape_percent = 0;
  double mae = 0;
  double rmse = 0;
  double bias = 0;                       // mean of forecast - actual
  double pinball = 0;                    // mean pinball loss of the edges of all bands and the point
  std::vector<double> coverage_percent;  // one per level of kBandLevels
  double skill_percent = 0;              // reduction of the MAE of `yesterday`, on the same values
  std::size_t count = 0;                 // values scored
  std::size_t zeros = 0;                 // those with an actual value of zero
};

// Running sums of a ForecastScore; the sum of two gives the score of both. Not thread-safe.
class ScoreSum {
 public:
  // Adds one value. `yesterday` is the reference forecast, NaN where it has no value. Without bands (where limits leave
  // one value) only the point is scored.
  void Add(double forecast, double actual, double yesterday, std::span<const Band> bands, std::size_t lead);
  void Add(const ScoreSum& other);
  ForecastScore Result() const;

 private:
  double relative_ = 0, absolute_ = 0, square_ = 0, signed_ = 0, pinball_ = 0, reference_ = 0, versus_ = 0;
  std::vector<double> covered_;
  std::size_t count_ = 0, zeros_ = 0, banded_ = 0, compared_ = 0;
};

}  // namespace heliostat::forecast
