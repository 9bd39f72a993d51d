#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/signal.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::report {

// The year of the built-in zones to show, and the random seed of its weather.
struct ZonesOptions {
  int year = 2023;
  std::uint64_t seed = 1;
};

// Hourly signals of one zone over one year.
struct ZoneYear {
  const synthetic::ZoneFacts* facts;
  signal::Signal carbon;
  signal::Signal solar;
  signal::Signal wind;
  signal::Signal price;
};

Result<ZoneYear> MakeZoneYear(const synthetic::ZoneFacts& zone, const ZonesOptions& options);

// Seven days of `series` from 10 April on, when the sun is at medium height in both hemispheres. Fails if the series
// does not cover them.
Result<signal::StepSeries> SampleWeek(const signal::StepSeries& series);

// Mean and spread of an hourly series by hour of the local day.
struct DayShape {
  std::array<double, 24> mean{};
  std::array<double, 24> low{};   // 10th percentile of the days
  std::array<double, 24> high{};  // 90th percentile of the days
};
// The local clock is `utc_offset_hours` ahead of UTC.
DayShape DayShapeOf(const signal::StepSeries& hourly, int utc_offset_hours);

// Statistics of the hours of a year.
struct YearSpread {
  double mean, deviation, lowest, percentile_5, median, percentile_95, highest;
  double negative;  // share of hours below zero
};
// The statistics of the known values; at least one must be known.
YearSpread SpreadOf(std::span<const double> values);

}  // namespace heliostat::report
