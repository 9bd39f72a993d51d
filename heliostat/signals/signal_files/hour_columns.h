#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heliostat::signal_files {

// A column that holds one hour of each day. A plain value type.
struct HourColumn {
  std::size_t index = 0;
  std::string label{};         // its number: "1" for "HE 1", "2X" for the second of two hours with one number
  bool may_be_absent = false;  // an empty cell is no hour of the day: a 25th one, or the last of a day of 23
};

// The columns "HE 1" to "HE 24", "Hour 1", "1", "00:00" or "00-01" among the names of a table: one after the other, all
// 24 hours of a day. Also 23 or 25, on whose days clocks change. Empty when there are none, or two such ranges.
std::vector<HourColumn> HoursIn(const std::vector<std::string>& names);

}  // namespace heliostat::signal_files
