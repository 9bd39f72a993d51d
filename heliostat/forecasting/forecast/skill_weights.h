#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/forecasting/forecast/error_record.h"

namespace heliostat::forecast {

// How two forecasts of the same signal, ours and another, are combined: at each lead with the weights that minimise the
// squared error of past forecasts (Bates and Granger 1969, with the covariance of the two errors), after subtracting
// the mean error of the other. Works on the scale of the errors: with relative errors it is a mean of logarithms.
// Immutable.
class SkillWeights {
 public:
  // Learns from the errors of both at the same origins. A lead also uses the errors of its neighbours, up to half its
  // own length and at most `widest` leads to each side: single leads of one season are noisy, but skill decreases fast
  // at first. With few forecasts the weights stay near one half.
  static SkillWeights Learn(const ErrorRecord& own, const ErrorRecord& other, std::size_t leads, std::size_t widest);

  // The combined value; `own` when `other` is missing.
  double Merge(std::size_t lead, double own, double other) const;

  // The share of the other forecast, 0 to 1, and the correction that is added to it. Leads beyond the last learned one
  // have its values.
  double WeightAt(std::size_t lead) const { return At(weights_, lead); }
  double CorrectionAt(std::size_t lead) const { return At(corrections_, lead); }
  // The number of past forecasts that it learned from.
  std::size_t learned_from() const { return learned_from_; }

  io::Json Save() const;
  static Result<SkillWeights> Load(const io::Json& saved);

 private:
  SkillWeights() = default;
  static double At(const std::vector<double>& values, std::size_t lead) {
    return values[lead < values.size() ? lead : values.size() - 1];
  }

  bool is_relative_ = false;
  std::size_t learned_from_ = 0;
  std::vector<double> weights_;      // per lead, at least one
  std::vector<double> corrections_;  // on the scale of the errors
};

}  // namespace heliostat::forecast
