#pragma once

#include <cstddef>
#include <vector>

#include "heliostat/forecasting/forecast/error_record.h"

namespace heliostat::forecast {

// How two forecasts of the same thing, ours and another's, are put together:
// at each lead the weights that would have erred least in the square on past
// forecasts (Bates and Granger 1969, with the covariance of the two errors), and
// what the other was off by on average taken out first. On the scale of the
// errors: a mean of logarithms where those are relative.
class SkillWeights {
 public:
  // From the errors of both at the same origins. A lead learns from its
  // neighbours too, up to half its own length and at most `widest` leads to
  // either side: single leads of a season are noisy, but skill falls fast at
  // first. With few forecasts the weights stay near a half.
  static SkillWeights Learn(const ErrorRecord& own, const ErrorRecord& other, std::size_t leads, std::size_t widest);

  // Both values put together; ours where the other is missing.
  double Merge(std::size_t lead, double own, double other) const;

  // The other's share, 0 to 1, and what is added to it. A lead that was never
  // learned is like the last that was.
  double WeightAt(std::size_t lead) const { return At(weights_, lead); }
  double CorrectionAt(std::size_t lead) const { return At(corrections_, lead); }
  // Past forecasts that it learned from.
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
  std::vector<double> weights_;      // by lead, at least one
  std::vector<double> corrections_;  // on the scale of the errors
};

}  // namespace heliostat::forecast
