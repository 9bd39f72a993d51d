#include "heliostat/signals/tariff/urdb_schedule.h"

#include <fmt/format.h>

namespace heliostat::tariff {
namespace {

using io::Json;
using Day = std::array<std::size_t, 24>;

Result<const Json::Array*> ListOf(const Json& json, std::size_t size, std::string_view of) {
  const auto list = json.Elements();
  if (!list) return Propagate(list);
  if ((*list)->size() == size) return *list;
  return Fail(ErrorCode::kInvalidArgument, json.where(), fmt::format("has {} entries", (*list)->size()),
              fmt::format("must have {}, one per {}", size, of));
}

Result<Day> ReadDay(const Json& row, std::size_t periods) {
  const auto cells = ListOf(row, 24, "hour");
  if (!cells) return Propagate(cells);
  Day day{};
  for (std::size_t hour = 0; hour < day.size(); ++hour) {
    const auto period = ReadPeriod((**cells)[hour], periods);
    if (!period) return Propagate(period);
    day[hour] = *period;
  }
  return day;
}

Result<std::array<Day, 12>> ReadTable(const Json& item, std::string_view key, std::size_t periods) {
  const auto member = item.Get(key);
  if (!member) return Propagate(member);
  const auto rows = ListOf(**member, 12, "month");
  if (!rows) return Propagate(rows);
  std::array<Day, 12> table{};
  for (std::size_t month = 0; month < table.size(); ++month) {
    const auto day = ReadDay((**rows)[month], periods);
    if (!day) return Propagate(day);
    table[month] = *day;
  }
  return table;
}

void AddDay(const Day& day, const Season& season, Weekdays weekdays, std::vector<UrdbWindow>& windows) {
  for (std::size_t from = 0; from < day.size();) {
    std::size_t to = from + 1;
    while (to < day.size() && day[to] == day[from]) ++to;
    windows.push_back(
        {day[from],
         {season, weekdays, std::chrono::hours{static_cast<int>(from)}, std::chrono::hours{static_cast<int>(to)}}});
    from = to;
  }
}

// Groups of consecutive equal months; the last group may continue into the first.
std::vector<Season> SeasonsOf(const UrdbSchedule& schedule) {
  struct Group {
    unsigned first;
    unsigned last;
  };
  std::vector<Group> groups;
  for (unsigned month = 1; month <= 12; ++month) {
    if (!groups.empty() && schedule[month - 1] == schedule[groups.back().first - 1]) {
      groups.back().last = month;
    } else {
      groups.push_back({month, month});
    }
  }
  if (groups.size() > 1 && schedule[groups.back().first - 1] == schedule[0]) {
    groups.back().last = groups.front().last;
    groups.erase(groups.begin());
  }
  std::vector<Season> seasons;
  seasons.reserve(groups.size());
  for (const Group& group : groups) seasons.push_back(SeasonOfMonths(group.first, group.last));
  return seasons;
}

}  // namespace

Result<std::size_t> ReadPeriod(const Json& cell, std::size_t periods) {
  const auto number = cell.Integer();
  if (!number) return Propagate(number);
  if (*number >= 0 && static_cast<std::uint64_t>(*number) < periods) return static_cast<std::size_t>(*number);
  return Fail(ErrorCode::kInvalidArgument, cell.where(), fmt::format("period is {}", *number),
              fmt::format("must be from 0 to {}; there are {} periods", periods - 1, periods));
}

Result<UrdbSchedule> ReadUrdbSchedule(const Json& item, std::string_view weekday_key, std::string_view weekend_key,
                                      std::size_t periods) {
  const auto weekday = ReadTable(item, weekday_key, periods);
  if (!weekday) return Propagate(weekday);
  const auto weekend = ReadTable(item, weekend_key, periods);
  if (!weekend) return Propagate(weekend);
  UrdbSchedule schedule;
  for (std::size_t month = 0; month < schedule.size(); ++month) {
    schedule[month] = {(*weekday)[month], (*weekend)[month]};
  }
  return schedule;
}

std::vector<UrdbWindow> WindowsOf(const UrdbSchedule& schedule) {
  std::vector<UrdbWindow> windows;
  for (const Season& season : SeasonsOf(schedule)) {
    const UrdbMonth& month = schedule[season.first.month - 1];
    if (month.weekday == month.weekend) {
      AddDay(month.weekday, season, kEveryDay, windows);
    } else {
      AddDay(month.weekday, season, kMondayToFriday, windows);
      AddDay(month.weekend, season, kWeekend, windows);
    }
  }
  return windows;
}

}  // namespace heliostat::tariff
