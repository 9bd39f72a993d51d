#include "heliostat/signals/signal_files/time_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "heliostat/base/io/number.h"

namespace heliostat::signal_files {
namespace {

template <std::size_t N>
bool HasWord(std::string_view name, const std::array<std::string_view, N>& wanted) {
  return std::ranges::any_of(WordsOf(name),
                             [&](const std::string& word) { return std::ranges::find(wanted, word) != wanted.end(); });
}

constexpr std::array<std::string_view, 10> kStartWords{"start", "begin", "beginning", "from",  "von",
                                                       "since", "valid", "debut",     "desde", "anfang"};
constexpr std::array<std::string_view, 8> kEndWords{"end", "ending", "until", "bis", "ende", "fin", "he", "stop"};
constexpr std::array<std::string_view, 8> kIssueWords{"issued",    "created", "updated", "retrieved",
                                                      "published", "issue",   "publish", "modified"};
constexpr std::array<std::string_view, 18> kPeriodWords{"hour",   "he",    "hr",     "hours", "period", "interval",
                                                        "stunde", "heure", "heures", "hora",  "time",   "mtu",
                                                        "sp",     "ora",   "timme",  "tunti", "slot",   "uur"};
constexpr std::array<std::string_view, 2> kUtcWords{"utc", "gmt"};

int ScoreOf(const TableColumn& column) {
  int score = 0;
  if (HasWord(column.name, kUtcWords)) score += 4;
  if (column.offsets > 0) score += 4;
  if (HasWord(column.name, kStartWords)) score += 2;
  if (HasWord(column.name, kEndWords)) score -= 3;
  if (HasWord(column.name, kIssueWords)) score -= 8;
  if (column.times_of_day > 0) score += 3;
  return score;
}

// The best column of the sample that `is_one` accepts; the first of equals.
template <typename IsOne>
std::optional<std::size_t> Best(const TableLayout& layout, IsOne&& is_one) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    if (!is_one(layout.columns[i])) continue;
    if (!best || ScoreOf(layout.columns[i]) > ScoreOf(layout.columns[*best])) best = i;
  }
  return best;
}

std::optional<std::size_t> WithName(const TableLayout& layout, std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const auto is_it = [&](std::string_view name) { return IsSameWithoutCase(layout.columns[i].name, name); };
    if (std::ranges::any_of(names, is_it)) return i;
  }
  return std::nullopt;
}

bool HasPeriods(const TableLayout& layout, std::size_t column) {
  std::size_t periods = 0;
  std::size_t others = 0;
  for (const auto& row : layout.sample) {
    if (column >= row.size() || Trimmed(row[column]).empty()) continue;
    (PeriodIn(row[column]) ? periods : others) += 1;
  }
  return periods > 0 && periods >= 9 * others;
}

// Adds the column of the time of day to a column of dates alone.
void AddTimeOfDay(const TableLayout& layout, TimeColumns& times) {
  times.of_day = Best(layout, [](const TableColumn& column) { return column.IsClock(); });
  if (times.of_day) return;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    if (times.Uses(i) || !HasWord(layout.columns[i].name, kPeriodWords) || !HasPeriods(layout, i)) continue;
    times.of_day = i;
    times.counts_periods = true;
    return;
  }
}

// Adds the columns that say more about an hour: its quarter, and its zone.
void AddPartAndZone(const TableLayout& layout, TimeColumns& times) {
  constexpr std::array<std::string_view, 4> kPartWords{"interval", "quarter", "viertelstunde", "minute"};
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const TableColumn& column = layout.columns[i];
    if (times.Uses(i)) continue;
    if (times.counts_periods && !times.part && column.IsNumber() && !column.is_constant &&
        HasWord(column.name, kPartWords) && HasPeriods(layout, i)) {
      times.part = i;
    }
    const bool names_zone = column.texts > 0 && column.texts + column.empties == layout.sample.size() &&
                            std::ranges::all_of(layout.sample, [&](const std::vector<std::string>& row) {
                              return i < row.size() && io::ParseZoneName(row[i]);
                            });
    if (names_zone && !times.zone && times.of_day && !times.counts_periods) times.zone = i;
  }
}

Status TakeNamedColumns(const TableLayout& layout, const std::string& file, const std::string& named,
                        TimeColumns& times) {
  auto whole = FindColumn(layout, named, file);
  if (whole || named.find('+') == std::string::npos) {
    if (!whole) return Propagate(whole);
    times.date = *whole;
    return {};
  }
  std::vector<std::size_t> parts;
  for (std::size_t begin = 0; begin <= named.size();) {
    const std::size_t end = std::min(named.find('+', begin), named.size());
    const auto column = FindColumn(layout, named.substr(begin, end - begin), file);
    if (!column) return Propagate(column);
    parts.push_back(*column);
    begin = end + 1;
  }
  if (parts.size() >= 3) {
    times.year = parts[0];
    times.month = parts[1];
    times.date = parts[2];
  } else {
    times.date = parts[0];
  }
  if (parts.size() != 3) times.of_day = parts.back();
  if (times.of_day) times.counts_periods = !layout.columns[*times.of_day].IsClock();
  return {};
}

// A label of number periods has a begin; a clock or a whole time is named after what it marks.
bool EndsInterval(const TableLayout& layout, const TimeColumns& times) {
  if (times.counts_periods) return false;
  const std::string& name = layout.columns[times.of_day.value_or(times.date)].name;
  return HasWord(name, kEndWords) && !HasWord(name, kStartWords);
}

// The dates that stand above a table.
std::set<std::string> DatesIn(const std::vector<std::string>& titles) {
  std::set<std::string> dates;
  for (const std::string& title : titles) {
    for (std::size_t begin = 0; begin < title.size();) {
      const std::size_t end = std::min(title.find_first_of(" ,;()\t", begin), title.size());
      const std::string word = title.substr(begin, end - begin);
      const auto time = io::ParseWrittenTime(word, io::DateOrder::kUnknown);
      if (time && !time->has_time_of_day) dates.insert(word);
      begin = end + 1;
    }
  }
  return dates;
}

// Takes the hours of a table whose rows are days. Leaves `times` alone for any other table.
Status TakeHours(const TableLayout& layout, const std::string& file, const TableOptions& options, TimeColumns& times) {
  std::vector<std::string> names;
  for (const TableColumn& column : layout.columns) names.push_back(column.name);
  std::vector<HourColumn> hours = HoursIn(names);
  if (hours.empty() || options.time_column.find('+') != std::string::npos) return {};
  auto date = Best(layout, [](const TableColumn& column) { return column.IsTime(); });
  if (!options.time_column.empty()) {
    const auto named = FindColumn(layout, options.time_column, file);
    if (!named) return Propagate(named);
    date = *named;
  }
  if (date && layout.columns[*date].times_of_day > 0) return {};
  if (!date) {
    const std::set<std::string> dates = DatesIn(layout.titles);
    if (dates.size() != 1) {
      return Fail(ErrorCode::kInvalidArgument, file,
                  fmt::format("has hours as columns, no column of dates, and {} date{} above the table", dates.size(),
                              dates.size() == 1 ? "" : "s"),
                  "name a column of dates with option 'time-column', or leave one date above the table");
    }
    times.given_date = *dates.begin();
  }
  times.date = date.value_or(hours.front().index);
  times.of_day = hours.front().index;
  times.counts_periods = true;
  times.hours = std::move(hours);
  times.name = fmt::format("{}+{}", date ? layout.columns[*date].name : times.given_date, NameOfHours(layout, times));
  return {};
}

tl::unexpected<Error> NoYear(const std::string& file) {
  return Fail(ErrorCode::kInvalidArgument, file, "has dates without a year", "set option 'year', such as 2023");
}

}  // namespace

std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_lower = false;
  for (const char c : name) {
    const bool is_letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & '\x80') != 0;
    const bool is_upper = c >= 'A' && c <= 'Z';
    if ((!is_letter || (is_upper && was_lower)) && !words.back().empty()) words.emplace_back();
    if (is_letter) words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    was_lower = c >= 'a' && c <= 'z';
  }
  return words;
}

std::optional<int> PeriodIn(std::string_view cell) {
  cell = Trimmed(cell);
  if (cell.ends_with(".0")) cell.remove_suffix(2);
  const auto digit = cell.find_first_of("0123456789");
  if (digit == std::string_view::npos || digit > 6) return std::nullopt;
  std::string_view digits = cell.substr(digit);
  // "02X" and "3B" are the second of two hours with one number.
  if (digits.size() >= 2 && std::isalpha(static_cast<unsigned char>(digits.back())) != 0) digits.remove_suffix(1);
  const auto number = io::ParseInteger(digits);
  return number && *number >= 0 && *number <= 300 ? std::optional<int>(*number) : std::nullopt;
}

bool NamesPeriods(std::string_view name) { return HasWord(name, kPeriodWords); }

bool TimeColumns::Uses(std::size_t column) const {
  const auto is_hour = [&](const HourColumn& hour) { return hour.index == column; };
  return std::ranges::any_of(hours, is_hour) || column == date || column == of_day || column == year ||
         column == month || column == part || column == zone;
}

Result<TimeColumns> FindTimes(const TableLayout& layout, const std::string& file, const TableOptions& options) {
  TimeColumns times;
  if (!options.stamps.empty() && options.stamps != "begin" && options.stamps != "end") {
    return Fail(ErrorCode::kInvalidArgument, "stamps option",
                fmt::format("'{}' is not known", Printable(options.stamps, 20)), "begin or end");
  }
  if (const auto bad = TakeHours(layout, file, options, times); !bad) return Propagate(bad);
  if (!times.hours.empty()) return times;
  if (!options.time_column.empty()) {
    if (const auto bad = TakeNamedColumns(layout, file, options.time_column, times); !bad) return Propagate(bad);
  } else if (const auto best = Best(layout, [](const TableColumn& column) { return column.IsTime(); })) {
    times.date = *best;
  } else {
    const auto year = WithName(layout, {"year", "jahr", "año", "annee", "yyyy"});
    const auto month = WithName(layout, {"month", "monat", "mes", "mois", "mm"});
    const auto day = WithName(layout, {"day", "tag", "día", "dia", "jour", "dd"});
    if ((!year && options.year.empty()) || !month || !day) {
      if (month && day) return NoYear(file);
      return Fail(ErrorCode::kInvalidArgument, file, "has no column of times that is recognised",
                  "name it with option 'time-column'");
    }
    times.year = year;
    times.month = month;
    times.date = *day;
  }
  const TableColumn& date = layout.columns[times.date];
  times.given_year = options.year;
  if (date.yearless > 0 && options.year.empty()) return NoYear(file);
  if (!times.of_day && (times.month || (date.times > 0 && date.times_of_day == 0))) AddTimeOfDay(layout, times);
  AddPartAndZone(layout, times);
  times.ends_interval = options.stamps.empty() ? EndsInterval(layout, times) : options.stamps == "end";
  times.name = date.name;
  if (times.month) times.name = layout.columns[*times.month].name + "+" + date.name;
  if (times.year) times.name = layout.columns[*times.year].name + "+" + times.name;
  if (times.of_day) times.name += "+" + layout.columns[*times.of_day].name;
  return times;
}

std::string NameOfHours(const TableLayout& layout, const TimeColumns& columns) {
  return fmt::format("{} to {}", layout.columns[columns.hours.front().index].name,
                     layout.columns[columns.hours.back().index].name);
}

TimeCells CellsOf(const TimeColumns& columns, const std::vector<std::string_view>& row, std::int64_t line,
                  const HourColumn* hour) {
  TimeCells cells;
  cells.line = line;
  cells.date = columns.given_date.empty() ? row[columns.date] : std::string_view(columns.given_date);
  if (columns.of_day) cells.of_day = hour != nullptr ? std::string_view(hour->label) : row[*columns.of_day];
  if (columns.part) cells.part = row[*columns.part];
  if (columns.month) {
    const auto month = PeriodIn(row[*columns.month]);
    const auto day = PeriodIn(row[columns.date]);
    const std::string_view year = columns.year ? Trimmed(row[*columns.year]) : std::string_view(columns.given_year);
    cells.date = fmt::format("{}-{:02}-{:02}", year, month.value_or(0), day.value_or(0));
  } else if (!columns.given_year.empty() && io::IsWithoutYear(cells.date)) {
    cells.date = io::WithYear(cells.date, columns.given_year);
  }
  if (columns.zone) {
    cells.date += fmt::format(" {} {}", Trimmed(cells.of_day), Trimmed(row[*columns.zone]));
    cells.of_day = "00:00";
  }
  return cells;
}

}  // namespace heliostat::signal_files
