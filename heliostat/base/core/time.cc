#include "heliostat/base/core/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <thread>

#include "heliostat/base/core/clock.h"

namespace heliostat {
namespace {

using std::chrono::local_days;
using std::chrono::minutes;

// Takes exactly `digits` decimal digits off the front of `text`.
std::optional<int> TakeNumber(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const unsigned digit = static_cast<unsigned char>(text[i]) - unsigned{'0'};
    if (digit > 9) return std::nullopt;
    number = number * 10 + static_cast<int>(digit);
  }
  text.remove_prefix(digits);
  return number;
}

bool TakeChar(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

// "HH:MM[:SS[.000]]" as seconds of the day.
std::optional<Duration> TakeTimeOfDay(std::string_view& text) {
  const auto hour = TakeNumber(text, 2);
  if (!hour || *hour > 23 || !TakeChar(text, ':')) return std::nullopt;
  const auto minute = TakeNumber(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  int second = 0;
  if (TakeChar(text, ':')) {
    const auto read = TakeNumber(text, 2);
    if (!read || *read > 59) return std::nullopt;
    second = *read;
    if (TakeChar(text, '.')) {
      if (text.empty() || text.front() != '0') return std::nullopt;
      while (TakeChar(text, '0')) {
      }
    }
  }
  return Duration{*hour * 3600 + *minute * 60 + second};
}

// Reads the offset after a time: nothing, "Z", "+HH:MM", "+HHMM" or "+HH". False when the text is none of these.
bool TakeOffset(std::string_view& text, std::optional<minutes>& offset) {
  if (text.empty()) return true;
  if (TakeChar(text, 'Z')) {
    offset = minutes{0};
    return text.empty();
  }
  const bool west = text.front() == '-';
  if (!TakeChar(text, '+') && !TakeChar(text, '-')) return false;
  const auto hours = TakeNumber(text, 2);
  if (!hours || *hours > 14) return false;
  int past = 0;
  if (!text.empty()) {
    TakeChar(text, ':');
    const auto read = TakeNumber(text, 2);
    if (!read || *read > 59) return false;
    past = *read;
  }
  offset = minutes{(west ? -1 : 1) * (*hours * 60 + past)};
  return text.empty();
}

struct DurationUnit {
  char letter;
  Duration length;
  std::string_view name;
};
constexpr std::array kDurationUnits{DurationUnit{'w', Duration{604800}, "w"}, DurationUnit{'d', Duration{86400}, "d"},
                                    DurationUnit{'h', Duration{3600}, "h"}, DurationUnit{'m', Duration{60}, "min"},
                                    DurationUnit{'s', Duration{1}, "s"}};

// The sum of the "<number><unit>" parts of `text`; zero when the text is anything else or the sum is over a century.
Duration SumOfParts(std::string_view text) {
  constexpr Duration kLongest{100LL * 366 * 86400};
  Duration total{0};
  while (!text.empty()) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0 || digits > 9 || digits == text.size()) return Duration{0};
    const auto number = TakeNumber(text, digits);
    const auto unit = std::ranges::find(kDurationUnits, text.front(), &DurationUnit::letter);
    if (unit == kDurationUnits.end()) return Duration{0};
    total += *number * unit->length;
    if (total > kLongest) return Duration{0};
    text.remove_prefix(1);
  }
  return total;
}

}  // namespace

Interval Interval::Intersect(const Interval& other) const {
  const Instant from = std::max(begin, other.begin);
  return {from, std::max(from, std::min(end, other.end))};
}

std::optional<local_days> CivilDay(int year, unsigned month, unsigned day) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  if (!date.ok()) return std::nullopt;
  return local_days{date};
}

namespace {

// Reads "YYYY-MM-DD?HH:MM:SS", the form of nearly all files, without a loop or a branch per digit. The caller has
// checked the characters before the hour and before the second.
std::optional<CivilTime> ParsePlainTime(const char* text) {
  unsigned worst = 0;
  const auto two = [&](std::size_t at) {
    const unsigned tens = static_cast<unsigned char>(text[at]) - unsigned{'0'};
    const unsigned ones = static_cast<unsigned char>(text[at + 1]) - unsigned{'0'};
    worst = std::max({worst, tens, ones});
    return tens * 10 + ones;
  };
  const auto year = static_cast<int>(two(0) * 100 + two(2));
  const unsigned month = two(5);
  const unsigned day = two(8);
  const unsigned hour = two(11);
  const unsigned minute = two(14);
  const unsigned second = two(17);
  const bool has_marks = text[4] == '-' && text[7] == '-' && text[13] == ':';
  if (worst > 9 || !has_marks || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const auto date = CivilDay(year, month, day);
  if (!date) return std::nullopt;
  return CivilTime{*date + Duration{hour * 3600 + minute * 60 + second}, std::nullopt};
}

}  // namespace

std::optional<CivilTime> ParseIsoTime(std::string_view text) {
  // Text such as "2023-06-01 12:00+02" also has 19 characters.
  const bool is_plain = text.size() == 19 && text[16] == ':' && (text[10] == ' ' || text[10] == 'T');
  if (is_plain) return ParsePlainTime(text.data());
  const auto year = TakeNumber(text, 4);
  if (!year || !TakeChar(text, '-')) return std::nullopt;
  const auto month = TakeNumber(text, 2);
  if (!month || !TakeChar(text, '-')) return std::nullopt;
  const auto day = TakeNumber(text, 2);
  if (!day) return std::nullopt;
  const auto date = CivilDay(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day));
  if (!date) return std::nullopt;
  CivilTime time{*date, std::nullopt};
  if (text.empty()) return time;
  if (!TakeChar(text, 'T') && !TakeChar(text, ' ')) return std::nullopt;
  const auto of_day = TakeTimeOfDay(text);
  if (!of_day || !TakeOffset(text, time.utc_offset)) return std::nullopt;
  time.local += *of_day;
  return time;
}

std::optional<CivilTime> ParseAmericanTime(std::string_view text) {
  const auto month = TakeNumber(text, 2);
  if (!month || !TakeChar(text, '/')) return std::nullopt;
  const auto day = TakeNumber(text, 2);
  if (!day || !TakeChar(text, '/')) return std::nullopt;
  const auto year = TakeNumber(text, 4);
  if (!year || !TakeChar(text, ' ')) return std::nullopt;
  const auto date = CivilDay(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day));
  const auto of_day = TakeTimeOfDay(text);
  if (!date || !of_day || !text.empty()) return std::nullopt;
  return CivilTime{*date + *of_day, std::nullopt};
}

Result<Instant> ParseInstant(std::string_view text, std::string_view where) {
  const auto time = ParseIsoTime(text);
  if (!time) {
    return Fail(ErrorCode::kInvalidArgument, std::string(where), fmt::format("'{}' is not a time", Printable(text, 60)),
                "a UTC time such as 2023-06-01T00:00:00Z");
  }
  return Instant{time->local.time_since_epoch()} - time->utc_offset.value_or(minutes{0});
}

Result<Duration> ParseDuration(std::string_view text, std::string_view where) {
  const Duration total = SumOfParts(text);
  if (total.count() > 0) return total;
  return Fail(ErrorCode::kInvalidArgument, std::string(where),
              fmt::format("'{}' is not a positive length of time", Printable(text, 60)),
              "write a number and a unit: 90s, 30m, 24h, 7d, 2w");
}

std::string FormatInstant(Instant t) {
  const auto day = std::chrono::floor<std::chrono::days>(t);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss of_day{t - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), of_day.hours().count(),
                     of_day.minutes().count(), of_day.seconds().count());
}

std::string FormatDuration(Duration d) {
  for (const auto& unit : kDurationUnits) {
    if (unit.letter != 'w' && d.count() != 0 && d % unit.length == Duration{0}) {
      return fmt::format("{} {}", d / unit.length, unit.name);
    }
  }
  return fmt::format("{} s", d.count());
}

Instant SystemClock::Now() const { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

void SystemClock::Sleep(std::chrono::milliseconds duration) { std::this_thread::sleep_for(duration); }

}  // namespace heliostat
