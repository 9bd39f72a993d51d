#pragma once

#include <array>
#include <span>
#include <vector>

#include "heliostat/base/core/random.h"
#include "heliostat/forecasting/forecast/error_record.h"
#include "heliostat/forecasting/forecast/limits.h"

namespace heliostat::forecast {

// The levels of all bands, from the narrowest to the widest.
inline constexpr std::array kBandLevels{0.5, 0.8, 0.9};

// A range per step that contains the actual value with probability `level`.
struct Band {
  double level;
  std::vector<double> lower;
  std::vector<double> upper;
};

// Adapts the width of bands to the observed coverage: if past bands covered too few or too many values, the next ones
// are wider or narrower (adaptive conformal inference, Gibbs and Candès 2021). Each level adapts separately. Not
// thread-safe.
class CoverageKeeper {
 public:
  // The level of the quantiles of past errors to use, so that future bands cover `level`, which must be in kBandLevels.
  double AskedLevel(double level) const;
  // Records the share of values that past bands of `level` covered. `weight` is 1 for the values of one day.
  void Observe(double level, double covered_share, double weight);

  // Load() restores the state that Save() returned; kCorrupt or kInvalidArgument for anything else.
  io::Json Save() const;
  static Result<CoverageKeeper> Load(const io::Json& saved);

 private:
  std::array<double, kBandLevels.size()> shift_{};
};

// The bands around a prediction, one per level, from the quantiles of past errors at each lead. Where there are few
// errors, those of neighbouring leads are used too. Leads beyond the record use its last lead, widened. The bands are
// nested, contain the prediction, and are inside the limits. Empty when the record has no errors.
std::vector<Band> MakeBands(const ErrorRecord& record, const CoverageKeeper& keeper, std::span<const double> prediction,
                            const ValueLimits& limits);

// `count` possible futures around a prediction. At each step their spread is that of past errors, and their correlation
// over time is that of past error paths (a Gaussian copula on the ranks). The same seed gives the same futures. When
// the record has no errors, all futures are the prediction.
std::vector<std::vector<double>> MakeScenarios(const ErrorRecord& record, std::span<const double> prediction,
                                               const ValueLimits& limits, std::size_t count, RandomStream random);

}  // namespace heliostat::forecast
