#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/forecasting/forecast/error_record.h"

namespace heliostat::forecast {

// The quantile of `sorted` at `share`, with ranks counted among n + 1 as in conformal prediction: the next value is
// below it with exactly that probability. Interpolates linearly between values. `sorted` must not be empty.
double Quantile(std::span<const double> sorted, double share);

// The errors to expect at each lead: those at the lead itself and those of the neighbouring leads, scaled to its size;
// of more leads where there are few. Refers to the record, which must outlive it. Immutable.
class ErrorPools {
 public:
  explicit ErrorPools(const ErrorRecord& record);

  bool empty() const { return leads_ == 0; }
  // The lead that `lead` takes its errors from: itself, or the last one of the record.
  std::size_t Known(std::size_t lead) const;
  // Writes the errors of `lead` to `pool`, smallest first. Beyond the last lead, the errors of the last one are scaled
  // as those of a random walk.
  void At(std::size_t lead, std::vector<double>& pool) const;

 private:
  void Merge(std::size_t from, double factor, std::vector<double>& pool) const;
  double Factor(std::size_t from, std::size_t to) const;

  const ErrorRecord& record_;
  std::size_t leads_ = 0;     // up to the last one with an error
  std::vector<double> size_;  // mean absolute error per lead, 0 where there are too few
};

}  // namespace heliostat::forecast
