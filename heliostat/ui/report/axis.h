#pragma once

#include <string>
#include <vector>

#include "heliostat/base/core/time.h"

namespace heliostat::report {

// A labelled position on an axis.
struct Tick {
  double value;  // on a time axis, seconds since 1970
  std::string label;
};

// An axis from `low` to `high` with its ticks.
struct Axis {
  double low = 0;
  double high = 1;
  std::vector<Tick> ticks;

  // The position of `value`: 0 at the low end, 1 at the high end.
  double ShareOf(double value) const { return (value - low) / (high - low); }
};

// An axis that contains `low` and `high`, widened to round numbers at both ends, with about `wanted` ticks. A range of
// one value is widened too.
Axis NumberAxis(double low, double high, int wanted);

// An axis with at most `most` ticks at round UTC times, from every second to every few years. The tick at the start
// of a day has the date.
Axis TimeAxis(const Interval& span, int most);

// `value` with about `digits` significant digits, without exponent between 1e-4 and 1e7; "–" if it is missing.
std::string NumberText(double value, int digits = 3);

// `value` rounded to `digits` significant digits, for estimates: "8700" of 8653 with two.
std::string RoundedText(double value, int digits);
// How many decimals show three digits of `largest`, and `value` with them: the numbers of one chart have the same.
int DecimalsFor(double largest);
std::string DecimalText(double value, int decimals);

// "2026-11-15 18:45": a UTC time without its zone.
std::string MinuteText(Instant time);
// "Tue 4 Jan 12:00": a UTC time on one short line.
std::string ShortTime(Instant time);
// "Tue 4 Jan 12:00 to 16:00", "Tue 4 Jan 22:00 to Wed 5 Jan 02:00".
std::string ShortSpan(const Interval& span);

}  // namespace heliostat::report
