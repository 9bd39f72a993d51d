#pragma once

#include <array>
#include <span>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/forecasting/forecast/error_record.h"
#include "heliostat/forecasting/forecast/limits.h"

namespace heliostat::forecast {

inline constexpr std::array kBandLevels{0.5, 0.8, 0.9};

// Between lower and upper lies the actual value with probability `level`.
struct Band {
  double level;
  std::vector<double> lower;
  std::vector<double> upper;
};

// Keeps bands honest while the world drifts: watches how often past bands
// covered and widens or narrows the next ones (adaptive conformal inference,
// Gibbs and Candès 2021). One for each level.
class CoverageKeeper {
 public:
  // What to ask of the past errors so that `level` is covered from now on.
  double AskedLevel(double level) const;
  // What past bands did: the share of values each level's band covered.
  // `weight` is 1 for a day's worth of values.
  void Observe(double level, double covered_share, double weight);

  io::Json Save() const;
  static Result<CoverageKeeper> Load(const io::Json& saved);

 private:
  std::array<double, kBandLevels.size()> shift_{};
};

// The bands around a prediction, from the quantiles of past errors at each lead
// (a few neighbouring leads lend theirs when there are few). Leads beyond the
// record take its last, widened. Nested around the prediction, and inside the
// limits. None at all from a record without errors.
std::vector<Band> MakeBands(const ErrorRecord& record, const CoverageKeeper& keeper, std::span<const double> prediction,
                            const ValueLimits& limits);

// `count` possible futures around a prediction: at each step they spread as the
// bands do, and they hang together over time as past errors did (a Gaussian
// copula on the ranks of whole past error paths). Same seed, same futures. From
// a record without errors all futures are the prediction.
std::vector<std::vector<double>> MakeScenarios(const ErrorRecord& record, std::span<const double> prediction,
                                               const ValueLimits& limits, std::size_t count, RandomStream random);

}  // namespace heliostat::forecast
