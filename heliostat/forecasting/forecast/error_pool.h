#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "heliostat/forecasting/forecast/error_record.h"

namespace heliostat::forecast {

// The value below which a share of `sorted` lies, counted among n + 1 as
// conformal prediction does, so that the next value falls below it with just
// that probability; between two values in proportion. Not of an empty span.
double Quantile(std::span<const double> sorted, double share);

// The errors to expect at each lead: those made there, and those of the leads
// beside it, brought to its size; of more leads around where there are few.
// Refers to the record.
class ErrorPools {
 public:
  explicit ErrorPools(const ErrorRecord& record);

  bool empty() const { return leads_ == 0; }
  // The lead whose errors stand for `lead`: itself, or the last of the record.
  std::size_t Known(std::size_t lead) const;
  // Smallest first, into `pool`. Errors of the last lead, for one beyond it, grow as a random walk's do.
  void At(std::size_t lead, std::vector<double>& pool) const;

 private:
  void Merge(std::size_t from, double factor, std::vector<double>& pool) const;
  double Factor(std::size_t from, std::size_t to) const;

  const ErrorRecord& record_;
  std::size_t leads_ = 0;     // up to the last with an error
  std::vector<double> size_;  // mean size of the errors by lead, 0 where too few to say
};

}  // namespace heliostat::forecast
