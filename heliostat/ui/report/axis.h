#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/time.h"

namespace heliostat::report {

struct Tick {
  double value;  // on a time axis: seconds since 1970
  std::string label;
};

// An axis from `low` to `high` that begins and ends where its data need it.
struct Axis {
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;

  // Where `value` lies: 0 at the low end, 1 at the high end.
  double ShareOf(double value) const { return (value - low) / (high - low); }
};

// Widened to round numbers at both ends, about `wanted` ticks. A range of one value gets room around it.
Axis NumberAxis(double low, double high, int wanted);

// Ticks at round UTC times (5 minutes ... years), at most `most` of them. Days are named where they begin.
Axis TimeAxis(const Interval& span, int most);

// `value` with about `digits` significant digits, without exponent between 1e-4 and 1e7, "–" when missing.
std::string NumberText(double value, int digits = 3);

}  // namespace heliostat::report
