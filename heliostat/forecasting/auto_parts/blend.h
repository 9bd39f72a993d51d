#pragma once

#include <span>
#include <vector>

#include "heliostat/forecasting/auto_parts/value_space.h"

namespace heliostat::auto_parts {

// One past forecast of every member, and what came, on the target's own scale;
// actuals that are not known are NaN.
struct Rehearsed {
  std::vector<std::vector<double>> by_member;
  std::vector<double> actual;
};

// How members are put together: for each day of lead, weights by how little each
// erred on past forecasts, and part of the correction that would have made those
// best on average.
class Blend {
 public:
  // Equal weights, no correction.
  static Blend Even(std::size_t members, std::size_t day);
  // From past forecasts, oldest first; even where there are too few.
  static Blend Learn(std::span<const Rehearsed> past, std::size_t members, std::size_t day, const ValueSpace& space);

  // The members' values put together.
  std::vector<double> Mix(std::span<const std::vector<double>> by_member) const;

  // The weights of a day of lead, from 0; the last known for later ones.
  std::span<const double> WeightsOf(std::size_t day_of_lead) const;

  io::Json Save() const;
  static Result<Blend> Load(const io::Json& saved);

 private:
  std::size_t day_ = 0;
  std::size_t members_ = 0;
  std::vector<double> weights_;      // members of day 0, of day 1, …
  std::vector<double> corrections_;  // one a day of lead
};

}  // namespace heliostat::auto_parts
