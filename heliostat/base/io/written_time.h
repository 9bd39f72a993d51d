#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "heliostat/base/core/error.h"
#include "heliostat/base/core/time.h"

namespace heliostat::io {

// The order of day and month in dates such as 03/04/2023.
enum class DateOrder { kUnknown, kDayFirst, kMonthFirst };

// A time as a cell of any table writes it. A plain value type.
struct WrittenTime {
  std::chrono::local_seconds local{};
  std::optional<std::chrono::minutes> utc_offset{};  // "Z", "+01:00", "CEST"; epochs have 0
  bool has_time_of_day = false;
  bool depends_on_order = false;  // another order of day and month gives another date
};

// Reads ISO, compact (20230101T0030) and numeric dates in either order, month names, "1:00 PM", "24:00", offsets and
// common names of zones, epochs in seconds to nanoseconds, and the begin of a range ("01.01.2023 00:00 - 01.01.2023
// 01:00"). An unknown order reads the day first where that gives a date. std::nullopt for any other text.
std::optional<WrittenTime> ParseWrittenTime(std::string_view text, DateOrder order);

// "day-first" or "dmy", "month-first" or "mdy"; an empty text is kUnknown. kInvalidArgument for any other.
Result<DateOrder> ParseDateOrder(std::string_view text);

// True for a date without a year and a time: "Jan 1, 12:00 am". WithYear() adds the year.
bool IsWithoutYear(std::string_view text);
std::string WithYear(std::string_view text, std::string_view year);

// The offset of a zone that a cell names: "CEST", "UTC".
std::optional<std::chrono::minutes> ParseZoneName(std::string_view text);

// Reads a time of day alone: "00:30", "1:00 PM", "13h00", "00 - 01", "24:00".
std::optional<Duration> ParseTimeOfDay(std::string_view text);

}  // namespace heliostat::io
