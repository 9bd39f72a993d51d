#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/json.h"

namespace heliostat::forecast {

// The scale of errors, which makes errors of different sizes comparable.
enum class ErrorScale {
  kAbsolute,  // for prices and all signals that can be zero or negative
  kRelative,  // logarithm of actual / forecast, for strictly positive signals
};

// The errors of one forecast: one per lead, NaN where the actual value is not known (yet).
struct ForecastErrors {
  Instant origin;
  std::vector<double> errors;  // in the record's scale
};

// The past errors of a model, oldest first, at most `capacity` forecasts. Bands, scenarios and blending weights use
// nothing else, so that they cannot depend on the future. Not thread-safe.
class ErrorRecord {
 public:
  ErrorRecord(ErrorScale scale, std::size_t capacity) : scale_(scale), capacity_(capacity) {}

  // Records the known part of a forecast, one actual value per forecast value, NaN where unknown. Another call for the
  // same origin, with more known values, replaces the first.
  void Add(Instant origin, std::span<const double> forecast, std::span<const double> actual);

  ErrorScale scale() const { return scale_; }
  bool empty() const { return rows_.empty(); }
  const std::deque<ForecastErrors>& rows() const { return rows_; }

  // The known errors at a lead, counted in steps from 0, oldest forecast first.
  std::vector<double> AtLead(std::size_t lead) const;
  // The same, smallest first. Kept sorted, so that bands at every step are cheap. Valid until the next Add().
  std::span<const double> SortedAtLead(std::size_t lead) const;
  // The number of leads of the longest forecast so far, with known errors or not.
  std::size_t leads() const { return sorted_.size(); }
  // The actual value for which `forecast` has the error `error`.
  double Apply(double forecast, double error) const;

  io::Json Save() const;
  static Result<ErrorRecord> Load(const io::Json& saved);

 private:
  void Place(ForecastErrors row);
  void Change(ForecastErrors& row, std::vector<double> errors);

  ErrorScale scale_;
  std::size_t capacity_;
  std::deque<ForecastErrors> rows_;
  std::vector<std::vector<double>> sorted_;  // the known errors of all rows, per lead
};

}  // namespace heliostat::forecast
