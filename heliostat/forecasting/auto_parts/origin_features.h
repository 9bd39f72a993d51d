#pragma once

#include <span>
#include <vector>

#include "heliostat/forecasting/auto_parts/baseline.h"

namespace heliostat::auto_parts {

// What is known at an origin, as numbers for a regression: how far the target
// and the signs of the mix are from their usual values (now, over the last
// hours, days and weeks), what day and season it is, and the most telling of
// these by time of day.
class OriginFeatures {
 public:
  // `powers`: the sources' own anomalies too. The arguments must outlive this.
  OriginFeatures(const Frame& frame, const ZoneCalendar& calendar, std::span<const Baseline> baselines, bool seasons,
                 bool powers);

  // The first origin that has all of its past.
  static std::size_t FirstOrigin(const Frame& frame);
  // How many there are for so many signs and (0: they are not asked for) powers.
  static std::size_t Count(std::size_t signs, std::size_t powers, bool seasons);

  std::size_t size() const { return Count(frame_.signs, powers_ ? frame_.powers : 0, seasons_); }
  // Of the origin before row `origin`, the first size() elements of `row`.
  void Fill(std::size_t origin, std::span<double> row) const;

 private:
  double Mean(std::size_t column, std::size_t origin, double hours) const;
  double Last(std::size_t column, std::size_t origin, std::size_t lag = 1) const;

  const Frame& frame_;
  const ZoneCalendar& calendar_;
  std::span<const Baseline> baselines_;
  bool seasons_;
  bool powers_;
  std::vector<std::vector<double>> sums_;  // of each column's anomalies, from the start
};

}  // namespace heliostat::auto_parts
