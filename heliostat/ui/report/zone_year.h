#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/signals/signal/signal.h"
#include "heliostat/signals/synthetic/generate.h"

namespace heliostat::report {

// Which hours of the built-in zones to show.
struct ZonesOptions {
  int year = 2023;
  std::uint64_t seed = 1;
};

// One zone over one year, by the hour.
struct ZoneYear {
  const synthetic::ZoneFacts* facts;
  signal::Signal carbon;
  signal::Signal solar;
  signal::Signal wind;
  signal::Signal price;
};

Result<ZoneYear> MakeZoneYear(const synthetic::ZoneFacts& zone, const ZonesOptions& options);

// Seven days of `series` from 10 April, when both halves of the world have a sun of middling height.
Result<signal::StepSeries> SampleWeek(const signal::StepSeries& series);

// What an hourly series does at each hour of the day, by a clock `utc_offset_hours` ahead of UTC.
struct DayShape {
  std::array<double, 24> mean{};
  std::array<double, 24> low{};   // a tenth of the days lie below
  std::array<double, 24> high{};  // and a tenth above
};
DayShape DayShapeOf(const signal::StepSeries& hourly, int utc_offset_hours);

struct YearSpread {
  double mean, deviation, lowest, percentile_5, median, percentile_95, highest;
  double negative;  // share of hours below zero
};
// Of known values, of which there must be one.
YearSpread SpreadOf(std::span<const double> values);

}  // namespace heliostat::report
