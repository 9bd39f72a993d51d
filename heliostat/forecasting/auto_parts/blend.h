#pragma once

#include <span>
#include <vector>

#include "heliostat/forecasting/auto_parts/value_space.h"

namespace heliostat::auto_parts {

// One past forecast of each member and the actual values, on the scale of the target; unknown actual values are NaN.
struct Rehearsed {
  std::vector<std::vector<double>> by_member;
  std::vector<double> actual;
};

// How the forecasts of the members are combined: per day of lead, weights by the errors of past forecasts, and a part
// of the correction that would have minimised those errors. Immutable.
class Blend {
 public:
  // Equal weights without a correction.
  static Blend Even(std::size_t members, std::size_t day);
  // Learns from past forecasts, oldest first. The weights are equal when there are fewer than 10.
  static Blend Learn(std::span<const Rehearsed> past, std::size_t members, std::size_t day, const ValueSpace& space);

  // The weighted sum of the values of the members, plus the correction; one vector per member, all of one length.
  std::vector<double> Mix(std::span<const std::vector<double>> by_member) const;

  // The weights of a day of lead, counted from 0. Later days have the weights of the last known day.
  std::span<const double> WeightsOf(std::size_t day_of_lead) const;

  // Load() returns a blend with the same numbers, or kInvalidArgument for anything that Save() did not write.
  io::Json Save() const;
  static Result<Blend> Load(const io::Json& saved);

 private:
  std::size_t day_ = 0;
  std::size_t members_ = 0;
  std::vector<double> weights_;      // all members of day 0, then of day 1, …
  std::vector<double> corrections_;  // one per day of lead
};

}  // namespace heliostat::auto_parts
