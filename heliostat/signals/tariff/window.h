#pragma once

#include <bitset>
#include <chrono>
#include <compare>
#include <optional>
#include <string>

#include "heliostat/base/core/error.h"

namespace heliostat::tariff {

// A day of any year. 29 February is a valid day: seasons are defined on a leap year, and other years skip that day.
struct MonthDay {
  unsigned month = 1;
  unsigned day = 1;
  friend auto operator<=>(const MonthDay&, const MonthDay&) = default;
};

inline constexpr unsigned kDaysOfLeapYear = 366;

unsigned LastDayOf(unsigned month);    // 29 for February
unsigned DayOfLeapYear(MonthDay day);  // 0 to 365
MonthDay DayAt(unsigned day_of_leap_year);

// A part of the year, `first` and `last` included. Includes the end of the year when `last` is before `first`.
struct Season {
  std::string name;
  MonthDay first{1, 1};
  MonthDay last{12, 31};

  bool Contains(MonthDay day) const;
};
// A season of whole months, named after them: "May to October".
Season SeasonOfMonths(unsigned first, unsigned last);

// One bit per weekday; Monday is bit 0.
using Weekdays = std::bitset<7>;
inline constexpr Weekdays kEveryDay{0b1111111};
inline constexpr Weekdays kMondayToFriday{0b0011111};
inline constexpr Weekdays kWeekend{0b1100000};

// The local time in which a rate or a charge applies.
struct Window {
  Season season;
  Weekdays weekdays = kEveryDay;
  std::chrono::minutes from{0};
  std::chrono::minutes to{24 * 60};  // exclusive; 24:00 is the end of the day
};

// Converts an hour of the day as files write it, such as 8, 8.5 or 24; kInvalidArgument unless it is a whole number of
// quarters from 0 to 24.
Result<std::chrono::minutes> HourOfDay(double hour, const std::string& where);

// Texts for messages, in English. `month` is 1 to 12, `weekday` 0 to 6.
std::string NameOfMonth(unsigned month);
std::string NameOfWeekday(std::size_t weekday);
std::string ClockText(std::chrono::minutes time_of_day);  // "08:30"
std::string DayText(MonthDay day);                        // "1 May"
std::string WeekdaysText(Weekdays weekdays);              // "Monday to Friday", "every day", "Monday, Wednesday"
std::string HoursText(const Window& window);              // "08:30-12:00", "all day"

}  // namespace heliostat::tariff
