#include "heliostat/signals/tariff/window.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace heliostat::tariff {
namespace {

constexpr std::array kMonths{"January", "February", "March",     "April",   "May",      "June",
                             "July",    "August",   "September", "October", "November", "December"};
constexpr std::array kWeekdays{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
constexpr std::array<unsigned, 12> kLengths{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

}  // namespace

unsigned LastDayOf(unsigned month) { return kLengths.at(month - 1); }

unsigned DayOfLeapYear(MonthDay day) {
  unsigned before = 0;
  for (unsigned month = 1; month < day.month; ++month) before += LastDayOf(month);
  return before + day.day - 1;
}

MonthDay DayAt(unsigned day_of_leap_year) {
  MonthDay day{1, day_of_leap_year + 1};
  while (day.day > LastDayOf(day.month)) day = {day.month + 1, day.day - LastDayOf(day.month)};
  return day;
}

bool Season::Contains(MonthDay day) const {
  return first <= last ? first <= day && day <= last : first <= day || day <= last;
}

Season SeasonOfMonths(unsigned first, unsigned last) {
  std::string name = first == 1 && last == 12 ? "all year"
                     : first == last          ? NameOfMonth(first)
                                              : fmt::format("{} to {}", NameOfMonth(first), NameOfMonth(last));
  return {std::move(name), {first, 1}, {last, LastDayOf(last)}};
}

Result<std::chrono::minutes> HourOfDay(double hour, const std::string& where) {
  const double quarters = hour * 4;
  if (!(hour >= 0 && hour <= 24) || std::nearbyint(quarters) != quarters) {
    return Fail(ErrorCode::kInvalidArgument, where, fmt::format("hour is {}", hour),
                "must be from 0 to 24, in whole quarters of an hour");
  }
  return std::chrono::minutes{static_cast<int>(quarters) * 15};
}

std::string NameOfMonth(unsigned month) { return kMonths.at(month - 1); }
std::string NameOfWeekday(std::size_t weekday) { return kWeekdays.at(weekday); }

std::string ClockText(std::chrono::minutes time_of_day) {
  return fmt::format("{:02}:{:02}", time_of_day.count() / 60, time_of_day.count() % 60);
}

std::string DayText(MonthDay day) { return fmt::format("{} {}", day.day, NameOfMonth(day.month)); }

std::string WeekdaysText(Weekdays weekdays) {
  if (weekdays == kEveryDay) return "every day";
  if (weekdays == kMondayToFriday) return "Monday to Friday";
  if (weekdays == kWeekend) return "Saturday, Sunday";
  std::string text;
  for (std::size_t day = 0; day < weekdays.size(); ++day) {
    if (!weekdays.test(day)) continue;
    if (!text.empty()) text += ", ";
    text += NameOfWeekday(day);
  }
  return text;
}

std::string HoursText(const Window& window) {
  if (window.to - window.from == std::chrono::hours{24}) return "all day";
  return fmt::format("{}-{}", ClockText(window.from), ClockText(window.to));
}

}  // namespace heliostat::tariff
