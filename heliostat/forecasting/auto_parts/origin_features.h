#pragma once

#include <span>
#include <vector>

#include "heliostat/forecasting/auto_parts/baseline.h"

namespace heliostat::auto_parts {

// The features of a regression at an origin: the differences of the target and of the signs of the mix to their usual
// values (now, over the last hours, days and weeks), the weekday and the season, and products of the most important
// ones with the time of day. Immutable.
class OriginFeatures {
 public:
  // With `powers`, also the differences of each source. The arguments must outlive this object.
  OriginFeatures(const Frame& frame, const ZoneCalendar& calendar, std::span<const Baseline> baselines, bool seasons,
                 bool powers);

  // The first origin with the whole past that the features need.
  static std::size_t FirstOrigin(const Frame& frame);
  // The number of features for that many signs and powers (0: without powers).
  static std::size_t Count(std::size_t signs, std::size_t powers, bool seasons);

  std::size_t size() const { return Count(frame_.signs, powers_ ? frame_.powers : 0, seasons_); }
  // Writes the features of the origin before row `origin` to the first size() elements of `row`.
  void Fill(std::size_t origin, std::span<double> row) const;

 private:
  double Mean(std::size_t column, std::size_t origin, double hours) const;
  double Last(std::size_t column, std::size_t origin, std::size_t lag = 1) const;

  const Frame& frame_;
  const ZoneCalendar& calendar_;
  std::span<const Baseline> baselines_;
  bool seasons_;
  bool powers_;
  std::vector<std::vector<double>> sums_;  // running sums of the anomalies, per column
};

}  // namespace heliostat::auto_parts
