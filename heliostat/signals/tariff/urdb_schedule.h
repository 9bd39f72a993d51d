#pragma once

#include <array>
#include <vector>

#include "heliostat/base/io/json.h"
#include "heliostat/signals/tariff/window.h"

namespace heliostat::tariff {

// A period's number in each hour of a day, for the two kinds of days of a month.
struct UrdbMonth {
  std::array<std::size_t, 24> weekday{};
  std::array<std::size_t, 24> weekend{};
  friend bool operator==(const UrdbMonth&, const UrdbMonth&) = default;
};
using UrdbSchedule = std::array<UrdbMonth, 12>;

// The two 12 x 24 tables; each number must be below `periods`.
Result<UrdbSchedule> ReadUrdbSchedule(const io::Json& item, std::string_view weekday_key, std::string_view weekend_key,
                                      std::size_t periods);

// A window in which one period holds.
struct UrdbWindow {
  std::size_t period;
  Window when;
};

// The schedule as few windows as months and hours that follow each other allow.
std::vector<UrdbWindow> WindowsOf(const UrdbSchedule& schedule);

// A number of a schedule: a period below `periods`.
Result<std::size_t> ReadPeriod(const io::Json& cell, std::size_t periods);

}  // namespace heliostat::tariff
