#include "heliostat/base/io/written_time.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/number.h"

namespace heliostat::io {
namespace {

using std::chrono::minutes;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Takes parts off the front of a text. Not thread-safe.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool done() const { return text_.empty(); }
  char next() const { return text_.empty() ? '\0' : text_.front(); }
  std::string_view rest() const { return text_; }
  void Skip(std::size_t count) { text_.remove_prefix(std::min(count, text_.size())); }
  void SkipBlanks() {
    while (next() == ' ') Skip(1);
  }
  bool Take(char wanted) {
    if (next() != wanted || done()) return false;
    Skip(1);
    return true;
  }
  // The run of digits or letters at the front; may be empty.
  std::string_view TakeDigits() { return TakeWhile(IsDigit); }
  std::string_view TakeLetters() { return TakeWhile(IsAlpha); }

 private:
  std::string_view TakeWhile(bool (*is_part)(char)) {
    std::size_t length = 0;
    while (length < text_.size() && is_part(text_[length])) ++length;
    const std::string_view taken = text_.substr(0, length);
    text_.remove_prefix(length);
    return taken;
  }
  std::string_view text_;
};

int NumberOf(std::string_view digits) { return ParseInteger(digits).value_or(-1); }

std::optional<unsigned> MonthOf(std::string_view word) {
  constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                     "jul", "aug", "sep", "oct", "nov", "dec"};
  if (word.size() < 3) return std::nullopt;
  const std::string start = Lower(word.substr(0, 3));
  const auto* const found = std::ranges::find(kMonths, start);
  if (found == kMonths.end()) return std::nullopt;
  return static_cast<unsigned>(found - kMonths.begin()) + 1;
}

struct ZoneName {
  std::string_view name;
  int offset_minutes;
};
constexpr std::array kZones{
    ZoneName{"z", 0},      ZoneName{"utc", 0},    ZoneName{"gmt", 0},    ZoneName{"wet", 0},    ZoneName{"west", 60},
    ZoneName{"bst", 60},   ZoneName{"cet", 60},   ZoneName{"mez", 60},   ZoneName{"cest", 120}, ZoneName{"mesz", 120},
    ZoneName{"eet", 120},  ZoneName{"eest", 180}, ZoneName{"est", -300}, ZoneName{"edt", -240}, ZoneName{"cst", -360},
    ZoneName{"cdt", -300}, ZoneName{"mst", -420}, ZoneName{"mdt", -360}, ZoneName{"pst", -480}, ZoneName{"pdt", -420},
    ZoneName{"aest", 600}, ZoneName{"aedt", 660}, ZoneName{"acst", 570}, ZoneName{"awst", 480}, ZoneName{"jst", 540},
    ZoneName{"kst", 540},  ZoneName{"nzst", 720}, ZoneName{"nzdt", 780}, ZoneName{"sast", 120}};

// "+01:00", "+0100", "+01".
std::optional<minutes> TakeSignedOffset(Scanner& scanner) {
  const bool is_negative = scanner.next() == '-';
  if (!scanner.Take('+') && !scanner.Take('-')) return std::nullopt;
  const std::string_view digits = scanner.TakeDigits();
  int hours = NumberOf(digits);
  int rest = 0;
  if (digits.size() == 4) {
    rest = hours % 100;
    hours /= 100;
  } else if (digits.empty() || digits.size() > 2) {
    return std::nullopt;
  } else if (scanner.Take(':')) {
    const std::string_view after = scanner.TakeDigits();
    if (after.size() != 2) return std::nullopt;
    rest = NumberOf(after);
  }
  if (hours > 14 || rest > 59) return std::nullopt;
  const minutes offset{hours * 60 + rest};
  return is_negative ? -offset : offset;
}

// What may follow a time: nothing, "Z", "+01:00", "UTC+1", "(CEST)". False for any other text.
bool TakeZone(Scanner& scanner, std::optional<minutes>& offset) {
  scanner.SkipBlanks();
  if (scanner.done()) return true;
  const bool has_bracket = scanner.Take('(') || scanner.Take('[');
  if (const std::string word = Lower(scanner.TakeLetters()); !word.empty()) {
    const auto* const known = std::ranges::find(kZones, word, &ZoneName::name);
    if (known == kZones.end()) return false;
    offset = minutes{known->offset_minutes};
  }
  if (scanner.next() == '+' || scanner.next() == '-') {
    offset = TakeSignedOffset(scanner);
    if (!offset) return false;
  }
  if (has_bracket && !scanner.Take(')') && !scanner.Take(']')) return false;
  scanner.SkipBlanks();
  return scanner.done();
}

// "am", "a.m.", "PM": the hour of the day, or -1.
int TakeHalfOfDay(Scanner& scanner, int hour) {
  Scanner ahead = scanner;
  ahead.SkipBlanks();
  const char letter = static_cast<char>(std::tolower(static_cast<unsigned char>(ahead.next())));
  if (letter != 'a' && letter != 'p') return hour;
  ahead.Skip(1);
  ahead.Take('.');
  if (!ahead.Take('m') && !ahead.Take('M')) return hour;
  ahead.Take('.');
  if (IsAlpha(ahead.next())) return hour;
  scanner = ahead;
  if (hour < 1 || hour > 12) return -1;
  return hour % 12 + (letter == 'p' ? 12 : 0);
}

// "H[:MM[:SS[.000]]]" with "am" or "pm", or "HHMM[SS]". 24:00 is the end of the day.
std::optional<Duration> TakeTimeOfDay(Scanner& scanner) {
  const std::string_view digits = scanner.TakeDigits();
  int hour = NumberOf(digits);
  int minute = 0;
  int second = 0;
  if (digits.size() == 4 || digits.size() == 6) {
    if (digits.size() == 6) second = hour % 100;
    if (digits.size() == 6) hour /= 100;
    minute = hour % 100;
    hour /= 100;
  } else if (digits.empty() || digits.size() > 2) {
    return std::nullopt;
  } else if (const char mark = scanner.next(); mark == ':' || mark == '.' || mark == 'h' || mark == 'H') {
    scanner.Skip(1);
    const std::string_view after = scanner.TakeDigits();
    const bool ends_in_h = mark == 'h' || mark == 'H';  // "13h"
    if (after.size() != 2 && !(after.empty() && ends_in_h)) return std::nullopt;
    minute = after.empty() ? 0 : NumberOf(after);
    if (scanner.Take(mark)) {
      const std::string_view last = scanner.TakeDigits();
      if (last.size() != 2) return std::nullopt;
      second = NumberOf(last);
      if (scanner.Take('.') || scanner.Take(',')) {
        const std::string_view fraction = scanner.TakeDigits();
        if (fraction.find_first_not_of('0') != std::string_view::npos) return std::nullopt;
      }
    }
  }
  hour = TakeHalfOfDay(scanner, hour);
  if (hour < 0 || hour > 24 || minute > 59 || second > 59 || (hour == 24 && minute + second > 0)) return std::nullopt;
  return Duration{hour * 3600 + minute * 60 + second};
}

struct Date {
  std::optional<std::chrono::local_days> day;
  bool depends_on_order = false;
};

int FullYear(std::string_view digits) {
  const int year = NumberOf(digits);
  return digits.size() == 2 ? 2000 + year : digits.size() == 4 ? year : -1;
}

std::optional<std::chrono::local_days> DayOf(int year, int month, int day) {
  if (year < 1 || month < 1 || day < 1) return std::nullopt;
  return CivilDay(year, static_cast<unsigned>(month), static_cast<unsigned>(day));
}

// The rest of a date of which `first` and `second` are day and month in either order.
Date InOrder(int first, int second, int year, DateOrder order, char separator) {
  const auto day_first = DayOf(year, second, first);
  const auto month_first = DayOf(year, first, second);
  if (separator == '.') return {day_first, false};  // points are written after a day alone
  if (order == DateOrder::kDayFirst) return {day_first, month_first && first != second};
  if (order == DateOrder::kMonthFirst) return {month_first, day_first && first != second};
  return {day_first ? day_first : month_first, true};
}

Date TakeDate(Scanner& scanner, DateOrder order) {
  const std::string_view word = scanner.TakeLetters();
  auto month = MonthOf(word);
  if (!word.empty() && !month) {  // the day of the week
    scanner.Take('.');
    scanner.Take(',');
    scanner.SkipBlanks();
  }
  if (month) {  // "Jan 1, 2023"
    scanner.Take('.');
    scanner.SkipBlanks();
    const int day = NumberOf(scanner.TakeDigits());
    scanner.Take(',');
    scanner.SkipBlanks();
    return {DayOf(FullYear(scanner.TakeDigits()), static_cast<int>(*month), day), false};
  }
  const std::string_view first = scanner.TakeDigits();
  if (first.size() == 8 || first.size() == 12 || first.size() == 14 || first.size() == 10) {
    const auto day = DayOf(NumberOf(first.substr(0, 4)), NumberOf(first.substr(4, 2)), NumberOf(first.substr(6, 2)));
    return {day, false};
  }
  const char separator = scanner.next();
  if (first.empty() || first.size() > 4 ||
      (separator != '-' && separator != '/' && separator != '.' && separator != ' '))
    return {};
  scanner.Skip(1);
  const std::string_view name = scanner.TakeLetters();
  const std::string_view second = scanner.TakeDigits();
  month = MonthOf(name);
  if ((!name.empty() && !month) || (!month && (second.empty() || second.size() > 2))) return {};
  if (!scanner.Take(separator)) return {};
  scanner.SkipBlanks();
  const std::string_view third = scanner.TakeDigits();
  if (third.empty()) return {};
  if (first.size() == 4) {
    return {DayOf(NumberOf(first), month ? static_cast<int>(*month) : NumberOf(second), NumberOf(third)), false};
  }
  if (first.size() > 2 || (separator == ' ' && !month)) return {};
  if (month) return {DayOf(FullYear(third), static_cast<int>(*month), NumberOf(first)), false};
  return InOrder(NumberOf(first), NumberOf(second), FullYear(third), order, separator);
}

// Seconds to nanoseconds since 1970, by the number of digits; std::nullopt outside 1990 to 2100.
std::optional<WrittenTime> ParseEpoch(std::string_view text) {
  if (text.ends_with(".0")) text.remove_suffix(2);
  if (text.size() < 9 || text.size() > 19 || !std::ranges::all_of(text, IsDigit)) return std::nullopt;
  std::uint64_t value = 0;  // 19 digits are too many for a signed one
  for (const char c : text) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  std::uint64_t unit = 1;
  while (value / unit >= 100'000'000'000) unit *= 1000;
  if (value % unit != 0) return std::nullopt;
  const auto seconds = static_cast<std::int64_t>(value / unit);
  if (seconds < 631'152'000 || seconds >= 4'102'444'800) return std::nullopt;
  return WrittenTime{std::chrono::local_seconds{Duration{seconds}}, minutes{0}, true, false};
}

// The text of a range without its end.
std::string_view BeginOfRange(std::string_view text) {
  for (const std::string_view mark : {" - ", " – ", " to ", " bis "}) {
    const auto at = text.find(mark);
    if (at != std::string_view::npos && at >= 2) return Trimmed(text.substr(0, at));
  }
  const auto slash = text.find('/');
  if (slash != std::string_view::npos && text.find('T') < slash) return text.substr(0, slash);
  return text;
}

}  // namespace

std::optional<WrittenTime> ParseWrittenTime(std::string_view text, DateOrder order) {
  text = BeginOfRange(Trimmed(text));
  if (text.size() < 6 || text.size() > 64) return std::nullopt;
  Scanner scanner(text);
  const Date date = TakeDate(scanner, order);
  if (!date.day) return ParseEpoch(text);
  WrittenTime time{*date.day, std::nullopt, false, date.depends_on_order};
  const std::size_t digits = static_cast<std::size_t>(std::ranges::find_if_not(text, IsDigit) - text.begin());
  if (digits >= 10 && digits != 13) {  // compact, with the time in the same run of digits
    const int year = NumberOf(text.substr(0, 4));
    if (year < 1990 || year > 2100) return ParseEpoch(text);
    Scanner of_day(text.substr(8, digits - 8));
    const auto seconds = TakeTimeOfDay(of_day);
    if (!seconds || !of_day.done()) return ParseEpoch(text);
    time.local += *seconds;
    time.has_time_of_day = true;
    return TakeZone(scanner, time.utc_offset) ? std::optional(time) : std::nullopt;
  }
  if (scanner.done()) return time;
  const char mark = scanner.next();
  if (mark != 'T' && mark != 't' && mark != ' ' && mark != ',' && mark != ':' && mark != '_') return std::nullopt;
  scanner.Skip(1);
  scanner.SkipBlanks();
  if (IsDigit(scanner.next())) {
    const auto seconds = TakeTimeOfDay(scanner);
    if (!seconds) return std::nullopt;
    time.local += *seconds;
    time.has_time_of_day = true;
  }
  if (!TakeZone(scanner, time.utc_offset)) return std::nullopt;
  return time;
}

Result<DateOrder> ParseDateOrder(std::string_view text) {
  const std::string lower = Lower(text);
  if (lower.empty()) return DateOrder::kUnknown;
  if (lower == "day-first" || lower == "dmy") return DateOrder::kDayFirst;
  if (lower == "month-first" || lower == "mdy") return DateOrder::kMonthFirst;
  return Fail(ErrorCode::kInvalidArgument, "date-order option", "'" + Printable(text, 20) + "' is not known",
              "day-first or month-first");
}

// The length of "Jan 1," at the begin of a date without a year; 0 when it does not begin so.
static std::size_t LengthOfMonthAndDay(std::string_view text) {
  Scanner scanner(text);
  if (!MonthOf(scanner.TakeLetters())) return 0;
  scanner.Take('.');
  scanner.SkipBlanks();
  const std::string_view day = scanner.TakeDigits();
  if (day.empty() || day.size() > 2) return 0;
  scanner.Take(',');
  return text.size() - scanner.rest().size();
}

bool IsWithoutYear(std::string_view text) {
  text = Trimmed(text);
  const std::size_t length = LengthOfMonthAndDay(text);
  return length > 0 && ParseTimeOfDay(text.substr(length));
}

std::string WithYear(std::string_view text, std::string_view year) {
  text = Trimmed(text);
  const std::size_t length = LengthOfMonthAndDay(text);
  return std::string(text.substr(0, length)) + " " + std::string(year) + std::string(text.substr(length));
}

std::optional<minutes> ParseZoneName(std::string_view text) {
  text = Trimmed(text);
  const auto* const known = std::ranges::find(kZones, Lower(text.substr(0, 8)), &ZoneName::name);
  if (known == kZones.end()) return std::nullopt;
  return minutes{known->offset_minutes};
}

std::optional<Duration> ParseTimeOfDay(std::string_view text) {
  text = Trimmed(text);
  // "00-01" and "00:00-01:00" name the hour by its begin and end.
  if (const auto dash = text.find('-'); dash != std::string_view::npos) text = Trimmed(text.substr(0, dash));
  if (text.empty() || text.size() > 16) return std::nullopt;
  Scanner scanner(BeginOfRange(text));
  const auto seconds = TakeTimeOfDay(scanner);
  scanner.SkipBlanks();
  return seconds && scanner.done() ? seconds : std::nullopt;
}

}  // namespace heliostat::io
