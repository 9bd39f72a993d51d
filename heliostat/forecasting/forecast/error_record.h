#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/json.h"

namespace heliostat::forecast {

// How errors of different sizes are made alike before they are pooled.
enum class ErrorScale {
  kAbsolute,  // prices and anything that crosses or touches zero
  kRelative,  // logarithm of actual over forecast: strictly positive signals
};

// One forecast and what came of it: an error a lead, NaN where the actual is
// not known (yet).
struct ForecastErrors {
  Instant origin;
  std::vector<double> errors;  // in the record's scale
};

// What a model got wrong so far, oldest first, at most `capacity` forecasts. The
// only source of bands, scenarios and blending weights, so that none of them can
// see further than the past.
class ErrorRecord {
 public:
  ErrorRecord(ErrorScale scale, std::size_t capacity) : scale_(scale), capacity_(capacity) {}

  // What is known of a forecast by now; adding one of the same origin again, with
  // more of it known, takes the place of the first.
  void Add(Instant origin, std::span<const double> forecast, std::span<const double> actual);

  ErrorScale scale() const { return scale_; }
  bool empty() const { return rows_.empty(); }
  const std::deque<ForecastErrors>& rows() const { return rows_; }

  // The known errors at a lead, in steps from 0; NaN left out.
  std::vector<double> AtLead(std::size_t lead) const;
  // The same, smallest first; kept sorted, so that bands at every step stay cheap.
  std::span<const double> SortedAtLead(std::size_t lead) const;
  // Leads that some forecast of the record reached, known or not.
  std::size_t leads() const { return sorted_.size(); }
  // The value that `forecast` becomes when it errs by `error`.
  double Apply(double forecast, double error) const;

  io::Json Save() const;
  static Result<ErrorRecord> Load(const io::Json& saved);

 private:
  void Place(ForecastErrors row);
  void Change(ForecastErrors& row, std::vector<double> errors);

  ErrorScale scale_;
  std::size_t capacity_;
  std::deque<ForecastErrors> rows_;
  std::vector<std::vector<double>> sorted_;  // the known errors of all rows, by lead
};

}  // namespace heliostat::forecast
