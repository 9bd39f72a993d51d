#include "heliostat/forecasting/auto_parts/zone_calendar.h"

#include <algorithm>
#include <array>
#include <span>

namespace heliostat::auto_parts {
namespace {

using std::chrono::day;
using std::chrono::days;
using std::chrono::local_days;
using std::chrono::month;
using std::chrono::weekday;
using std::chrono::year;
using std::chrono::year_month_day;

// How the date of a holiday is defined.
enum class By { kDate, kEaster, kNthWeekday, kWeekdayFrom };

struct Holiday {
  By by;
  int a = 0;  // month, or days after Easter Sunday
  int b = 0;  // day, or which one of the month (-1: the last)
  int c = 0;  // weekday, 0 is Sunday as in <chrono>
};

constexpr Holiday Date(int month, int day) { return {By::kDate, month, day, 0}; }
constexpr Holiday Easter(int offset) { return {By::kEaster, offset, 0, 0}; }
constexpr Holiday Nth(int month, int nth, int weekday) { return {By::kNthWeekday, month, nth, weekday}; }
// The first such weekday on or after a date.
constexpr Holiday From(int month, int day, int weekday) { return {By::kWeekdayFrom, month, day, weekday}; }

constexpr int kMonday = 1, kThursday = 4, kFriday = 5;

// The days on which offices and factories of a country are closed. Holidays with little effect on demand are omitted.
constexpr std::array kGermany{Date(1, 1), Easter(-2),  Easter(1),    Date(5, 1),  Easter(39),
                              Easter(50), Date(10, 3), Date(12, 25), Date(12, 26)};
constexpr std::array kPoland{Date(1, 1), Date(1, 6),  Easter(0),   Easter(1),    Date(5, 1),   Date(5, 3),
                             Easter(60), Date(8, 15), Date(11, 1), Date(11, 11), Date(12, 25), Date(12, 26)};
constexpr std::array kSweden{Date(1, 1), Date(1, 6),           Easter(-2),   Easter(1),    Date(5, 1),   Easter(39),
                             Date(6, 6), From(6, 19, kFriday), Date(12, 24), Date(12, 25), Date(12, 26), Date(12, 31)};
constexpr std::array kUnitedStates{Date(1, 1),         Nth(5, -1, kMonday),   Date(7, 4),
                                   Nth(9, 1, kMonday), Nth(11, 4, kThursday), From(11, 23, kFriday),
                                   Date(12, 25)};
constexpr std::array kBritain{Date(1, 1),          Easter(-2),          Easter(1),    Nth(5, 1, kMonday),
                              Nth(5, -1, kMonday), Nth(8, -1, kMonday), Date(12, 25), Date(12, 26)};
constexpr std::array kOntario{Date(1, 1),   Nth(2, 3, kMonday), Easter(-2),         From(5, 18, kMonday),
                              Date(7, 1),   Nth(8, 1, kMonday), Nth(9, 1, kMonday), Nth(10, 2, kMonday),
                              Date(12, 25), Date(12, 26)};
constexpr std::array kNewSouthWales{Date(1, 1),         Date(1, 26),         Easter(-2),   Easter(1),   Date(4, 25),
                                    Nth(6, 2, kMonday), Nth(10, 1, kMonday), Date(12, 25), Date(12, 26)};
constexpr std::array kKorea{Date(1, 1),  Date(3, 1),  Date(5, 5),  Date(6, 6),
                            Date(8, 15), Date(10, 3), Date(10, 9), Date(12, 25)};

// Seollal and Chuseok follow the lunar calendar: the middle of their three days, per year.
struct MoonDay {
  int year, month, day;
};
constexpr std::array kKoreanMoonDays{
    MoonDay{2019, 2, 5},  MoonDay{2019, 9, 13}, MoonDay{2020, 1, 25}, MoonDay{2020, 10, 1},
    MoonDay{2021, 2, 12}, MoonDay{2021, 9, 21}, MoonDay{2022, 2, 1},  MoonDay{2022, 9, 10},
    MoonDay{2023, 1, 22}, MoonDay{2023, 9, 29}, MoonDay{2024, 2, 10}, MoonDay{2024, 9, 17},
    MoonDay{2025, 1, 29}, MoonDay{2025, 10, 6}, MoonDay{2026, 2, 17}, MoonDay{2026, 9, 25}};

year_month_day Ymd(int y, int m, int d) {
  return year{y} / month{static_cast<unsigned>(m)} / day{static_cast<unsigned>(d)};
}

// Western Easter Sunday, by the anonymous Gregorian rule.
local_days EasterSunday(int y) {
  const int a = y % 19, b = y / 100, c = y % 100;
  const int d = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
  const int e = (32 + 2 * (b % 4) + 2 * (c / 4) - d - c % 4) % 7;
  const int f = d + e - 7 * ((a + 11 * d + 22 * e) / 451) + 114;
  return local_days{Ymd(y, f / 31, f % 31 + 1)};
}

local_days NthWeekday(int y, const Holiday& rule) {
  const weekday wanted{static_cast<unsigned>(rule.c)};
  const month m{static_cast<unsigned>(rule.a)};
  if (rule.b < 0) return local_days{year{y} / m / wanted[std::chrono::last]};
  return local_days{year{y} / m / wanted[static_cast<unsigned>(rule.b)]};
}

local_days DateOf(const Holiday& rule, int y) {
  switch (rule.by) {
    case By::kDate:
      return local_days{Ymd(y, rule.a, rule.b)};
    case By::kEaster:
      return EasterSunday(y) + days{rule.a};
    case By::kNthWeekday:
      return NthWeekday(y, rule);
    case By::kWeekdayFrom:
      break;
  }
  const local_days from{Ymd(y, rule.a, rule.b)};
  return from + (weekday{static_cast<unsigned>(rule.c)} - weekday{from});
}

}  // namespace

struct Country {
  std::span<const Holiday> holidays;
  bool moves_to_monday = false;  // a fixed date on a Sunday also makes Monday a holiday
  std::span<const MoonDay> moon_days;

  bool Keeps(local_days date) const {
    const int y = static_cast<int>(year_month_day{date}.year());
    const auto falls = [&](const Holiday& rule) {
      local_days on = DateOf(rule, y);
      if (on == date) return true;
      return moves_to_monday && rule.by == By::kDate && weekday{on} == std::chrono::Sunday && on + days{1} == date;
    };
    const auto near = [&](const MoonDay& moon) {
      return std::chrono::abs(local_days{Ymd(moon.year, moon.month, moon.day)} - date) <= days{1};
    };
    return std::ranges::any_of(holidays, falls) || std::ranges::any_of(moon_days, near);
  }
};

namespace {

const Country kCountries[] = {
    {kGermany, false, {}}, {kPoland, false, {}}, {kSweden, false, {}},       {kUnitedStates, true, {}},
    {kBritain, true, {}},  {kOntario, true, {}}, {kNewSouthWales, true, {}}, {kKorea, false, kKoreanMoonDays},
};
enum CountryIndex { kDe, kPl, kSe, kUs, kGb, kOn, kNsw, kKr };

struct Zone {
  std::string_view name;
  std::string_view time_zone;
  CountryIndex country;
};
constexpr std::array kZones{
    Zone{"DE", "Europe/Berlin", kDe},
    Zone{"DE-LU", "Europe/Berlin", kDe},
    Zone{"PL", "Europe/Warsaw", kPl},
    Zone{"SE", "Europe/Stockholm", kSe},
    Zone{"GB", "Europe/London", kGb},
    Zone{"CISO", "America/Los_Angeles", kUs},
    Zone{"US-CAL-CISO", "America/Los_Angeles", kUs},
    Zone{"ERCO", "America/Chicago", kUs},
    Zone{"US-TEX-ERCO", "America/Chicago", kUs},
    Zone{"MISO_MASON_CITY", "America/Chicago", kUs},
    Zone{"PJM", "America/New_York", kUs},
    Zone{"US-MIDA-PJM", "America/New_York", kUs},
    Zone{"CA-ON", "America/Toronto", kOn},
    Zone{"AU-NSW", "Australia/Sydney", kNsw},
    Zone{"KR", "Asia/Seoul", kKr},
};

}  // namespace

ZoneCalendar ZoneCalendar::Of(std::string_view zone) {
  for (const Zone& known : kZones) {
    if (known.name != zone) continue;
    auto time_zone = io::TimeZone::Find(known.time_zone);
    return {time_zone ? std::move(*time_zone) : io::TimeZone::Utc(), &kCountries[known.country]};
  }
  return {io::TimeZone::Utc(), nullptr};
}

ZoneCalendar::Day ZoneCalendar::At(Instant t) const {
  const auto date = std::chrono::floor<days>(time_zone_.ToLocal(t));
  return {weekday{date}.iso_encoding() - 1, country_ != nullptr && country_->Keeps(date)};
}

}  // namespace heliostat::auto_parts
