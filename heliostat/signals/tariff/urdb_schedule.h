#pragma once

#include <array>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/signals/tariff/window.h"

namespace heliostat::tariff {

// The number of the period in each hour of a day, for working days and weekends of a month.
struct UrdbMonth {
  std::array<std::size_t, 24> weekday{};
  std::array<std::size_t, 24> weekend{};
  friend bool operator==(const UrdbMonth&, const UrdbMonth&) = default;
};
// From January to December.
using UrdbSchedule = std::array<UrdbMonth, 12>;

// Reads the two 12 x 24 tables; each number must be below `periods`.
Result<UrdbSchedule> ReadUrdbSchedule(const io::Json& item, std::string_view weekday_key, std::string_view weekend_key,
                                      std::size_t periods);

// A window in which one period holds.
struct UrdbWindow {
  std::size_t period;
  Window when;
};

// The schedule as windows, merged over consecutive equal months and hours.
std::vector<UrdbWindow> WindowsOf(const UrdbSchedule& schedule);

// Reads one number of a schedule: a period below `periods`.
Result<std::size_t> ReadPeriod(const io::Json& cell, std::size_t periods);

}  // namespace heliostat::tariff
