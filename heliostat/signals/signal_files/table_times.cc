#include "heliostat/signals/signal_files/table_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "heliostat/base/io/number.h"
#include "heliostat/base/io/time_zone.h"

namespace heliostat::signal_files {
namespace {

using std::chrono::local_seconds;

constexpr Duration kDay = std::chrono::days{1};

// The words of a name in lower case.
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

// The number in "7", "07", "HE07" or "Hour 7".
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

// ---- reading

struct Counting {
  int first = 1;        // the number of the first period of a day
  Duration step{3600};  // of a period
  int parts = 1;        // of a period
};

std::optional<int> PeriodsPerDay(int most, std::string_view name) {
  for (const int periods : {24, 48, 96, 288}) {
    // Days on which clocks change have one hour more or less.
    if (most >= periods - periods / 24 && most <= periods + periods / 24) return periods;
  }
  if (most <= 24 && (name.find("our") != std::string_view::npos || HasWord(name, kPeriodWords))) return 24;
  return std::nullopt;
}

Result<Counting> CountingOf(const std::vector<TimeCells>& cells, const std::string& file, const std::string& name) {
  std::map<std::string, int> most_of_day;
  int least = 1;
  for (const TimeCells& cell : cells) {
    const auto period = PeriodIn(cell.of_day);
    if (!period) continue;
    least = std::min(least, *period);
    int& most = most_of_day[cell.date];
    most = std::max(most, *period);
  }
  std::map<int, int> days_with;
  for (const auto& [day, most] : most_of_day) ++days_with[most];
  int usual = 0;
  int days = 0;
  for (const auto& [most, count] : days_with) {
    if (count < days) continue;
    usual = most;
    days = count;
  }
  const auto periods = PeriodsPerDay(usual - least + 1, name);
  if (!periods) {
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("column '{}' counts up to {} a day", Printable(name, 60), usual),
                "24, 48, 96 or 288 periods a day");
  }
  int parts = 1;
  for (const TimeCells& cell : cells) parts = std::max(parts, PeriodIn(cell.part).value_or(1));
  return Counting{least, kDay / *periods, parts};
}

enum class PeriodClock { kWall, kElapsed };

// One way to read all times.
struct Reading {
  std::vector<RowTime> rows;
  bool is_descending = false;
  bool depends_on_order = false;
  bool states_zone = true;  // every time has an offset
  std::size_t bad = 0;
  std::size_t uneven = 0;  // steps that differ from the usual one
};

class TimeReading {
 public:
  TimeReading(const std::vector<TimeCells>& cells, const TimeColumns& columns, Counting counting, io::TimeZone zone)
      : cells_(cells), columns_(columns), counting_(counting), zone_(std::move(zone)) {}

  Reading Read(io::DateOrder order, PeriodClock clock) const {
    Reading reading;
    std::vector<std::optional<io::WrittenTime>> written;
    written.reserve(cells_.size());
    for (const TimeCells& cell : cells_) {
      written.push_back(io::ParseWrittenTime(cell.date, order));
      if (written.back() && written.back()->depends_on_order) reading.depends_on_order = true;
      if (written.back() && !written.back()->utc_offset) reading.states_zone = false;
    }
    reading.is_descending = IsDescending(written);
    reading.rows.resize(cells_.size());
    std::optional<Instant> last;
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      const std::size_t i = reading.is_descending ? cells_.size() - 1 - k : k;
      reading.rows[i] = RowAt(cells_[i], written[i], clock, last);
      if (reading.rows[i].state == RowTime::State::kBad) ++reading.bad;
      if (reading.rows[i].state == RowTime::State::kGood) last = reading.rows[i].at;
    }
    reading.uneven = CountUneven(reading);
    return reading;
  }

 private:
  static bool IsDescending(const std::vector<std::optional<io::WrittenTime>>& written) {
    std::size_t up = 0;
    std::size_t down = 0;
    const io::WrittenTime* before = nullptr;
    for (const auto& time : written) {
      if (!time) continue;
      if (before != nullptr) {
        up += time->local > before->local ? 1 : 0;
        down += time->local < before->local ? 1 : 0;
      }
      before = &*time;
    }
    return down > 10 * up;
  }

  RowTime RowAt(const TimeCells& cell, const std::optional<io::WrittenTime>& written, PeriodClock clock,
                const std::optional<Instant>& last) const {
    if (!written) return {};
    local_seconds local = written->local;
    Duration elapsed{0};
    if (columns_.of_day && columns_.counts_periods) {
      const auto period = PeriodIn(cell.of_day);
      if (!period) return {};
      const int part = PeriodIn(cell.part).value_or(1) - 1;
      const Duration into_day =
          counting_.step * (*period - counting_.first) + counting_.step / counting_.parts * std::max(part, 0);
      if (clock == PeriodClock::kWall) local += into_day;
      if (clock == PeriodClock::kElapsed) elapsed = into_day;
    } else if (columns_.of_day) {
      const auto of_day = io::ParseTimeOfDay(cell.of_day);
      if (!of_day) return {};
      local += *of_day;
    }
    if (written->utc_offset) {
      return {RowTime::State::kGood, Instant{local.time_since_epoch()} - *written->utc_offset + elapsed};
    }
    const auto utc = zone_.ToUtc(local);
    if (!utc.first) return {RowTime::State::kSkippedByClock, {}};
    // An hour that the clock shows twice: first the earlier instant, then the later one.
    const bool first_is_taken = utc.second && last && *last >= *utc.first;
    return {RowTime::State::kGood, (first_is_taken ? *utc.second : *utc.first) + elapsed};
  }

  static std::size_t CountUneven(const Reading& reading) {
    std::map<Duration, std::size_t> steps;
    std::optional<Instant> last;
    std::size_t all = 0;
    for (const RowTime& row : reading.rows) {
      if (row.state != RowTime::State::kGood) continue;
      if (last) ++steps[row.at - *last];
      if (last) ++all;
      last = row.at;
    }
    std::size_t most = 0;
    for (const auto& [step, count] : steps) most = std::max(most, count);
    return all - most;
  }

  const std::vector<TimeCells>& cells_;
  const TimeColumns& columns_;
  Counting counting_;
  io::TimeZone zone_;
};

// The clock that a header names, "" when it names none, "?" when it names one that is not certain.
std::string ClockInName(std::string_view name) {
  const auto words = WordsOf(name);
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  if ((has("cet") && has("cest")) || (has("mez") && has("mesz"))) return "Europe/Berlin";
  if (has("eet") && has("eest")) return "Europe/Helsinki";
  if (has("ept")) return "America/New_York";
  if (has("cpt")) return "America/Chicago";
  for (const std::string_view prefix : {"UTC", "GMT", "utc", "gmt"}) {
    const auto at = name.find(prefix);
    if (at == std::string_view::npos || at + 3 >= name.size() || (name[at + 3] != '+' && name[at + 3] != '-')) continue;
    for (std::size_t length = 9; length >= 5; --length) {
      const auto time =
          io::ParseWrittenTime("2000-01-01 00:00 " + std::string(name.substr(at, length)), io::DateOrder::kDayFirst);
      if (time && time->utc_offset) {
        const auto minutes = time->utc_offset->count();
        return fmt::format("{}{:02}:{:02}", minutes < 0 ? '-' : '+', std::abs(minutes) / 60, std::abs(minutes) % 60);
      }
    }
  }
  if (has("utc") || has("gmt")) return "UTC";
  // "Europe/Berlin"
  const auto slash = name.find('/');
  if (slash != std::string_view::npos) {
    const auto begin = name.find_last_of(" ([", slash) + 1;
    const auto end = std::min(name.find_first_of(" )]", slash), name.size());
    if (io::TimeZone::Find(name.substr(begin, end - begin))) return std::string(name.substr(begin, end - begin));
  }
  if (has("cet") || has("local") || has("mez") || has("est") || has("pst") || has("cst")) return "?";
  return "";
}

Result<io::TimeZone> ZoneOf(const TimeColumns& columns, const TableLayout& layout, const std::string& file,
                            const ReadOptions& options, bool states_zone, RowTimes& times) {
  const std::string& wanted = options.time_zone;
  if (states_zone) {
    times.clock = "zone stated by each time";
    if (!wanted.empty()) times.notes.emplace_back("its times state their zone: option 'time-zone' is not used");
    return io::TimeZone::Utc();
  }
  std::string named = ClockInName(layout.columns[columns.date].name);
  if (named.empty()) named = ClockInName(layout.columns[columns.date].text_about);
  if (named.empty() && columns.of_day) named = ClockInName(layout.columns[*columns.of_day].name);
  if (!wanted.empty()) {
    auto zone = io::TimeZone::Find(wanted);
    if (!zone) return zone;
    if (named == "UTC" && zone->name() != "UTC") {
      times.notes.push_back(fmt::format("column '{}' says UTC, option 'time-zone' says {}: read as {}",
                                        Printable(layout.columns[columns.date].name, 60), wanted, wanted));
    }
    times.clock = zone->name();
    return zone;
  }
  if (named == "?") {
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("column '{}' is in a local time that is not certain",
                            Printable(layout.columns[columns.date].name, 60)),
                "set option 'time-zone', such as Europe/Berlin or +01:00");
  }
  if (named.empty()) {
    times.notes.emplace_back("times do not state their zone: read as UTC; set option 'time-zone' for another");
  }
  auto zone = io::TimeZone::Find(named.empty() ? "UTC" : named);
  if (zone) times.clock = zone->name();
  return zone;
}

bool IsBetter(const Reading& a, const Reading& b) { return std::pair(a.bad, a.uneven) < std::pair(b.bad, b.uneven); }

bool IsSame(const Reading& a, const Reading& b) {
  return std::ranges::equal(a.rows, b.rows, [](const RowTime& x, const RowTime& y) { return x.at == y.at; });
}

}  // namespace

bool TimeColumns::Uses(std::size_t column) const {
  return column == date || column == of_day || column == year || column == month || column == part || column == zone;
}

static tl::unexpected<Error> NoYear(const std::string& file) {
  return Fail(ErrorCode::kInvalidArgument, file, "has dates without a year", "set option 'year', such as 2023");
}

Result<TimeColumns> FindTimes(const TableLayout& layout, const std::string& file, const TableOptions& options) {
  TimeColumns times;
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
  if (!options.stamps.empty() && options.stamps != "begin" && options.stamps != "end") {
    return Fail(ErrorCode::kInvalidArgument, "stamps option",
                fmt::format("'{}' is not known", Printable(options.stamps, 20)), "begin or end");
  }
  times.ends_interval = options.stamps.empty() ? EndsInterval(layout, times) : options.stamps == "end";
  times.name = date.name;
  if (times.month) times.name = layout.columns[*times.month].name + "+" + date.name;
  if (times.year) times.name = layout.columns[*times.year].name + "+" + times.name;
  if (times.of_day) times.name += "+" + layout.columns[*times.of_day].name;
  return times;
}

TimeCells CellsOf(const TimeColumns& columns, const std::vector<std::string_view>& row, std::int64_t line) {
  TimeCells cells;
  cells.line = line;
  cells.date = row[columns.date];
  if (columns.of_day) cells.of_day = row[*columns.of_day];
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

Result<RowTimes> ReadTimes(const std::vector<TimeCells>& cells, const TimeColumns& columns, const TableLayout& layout,
                           const std::string& file, const ReadOptions& options) {
  const auto wanted = io::ParseDateOrder(options.table.date_order);
  if (!wanted) return Propagate(wanted);
  Counting counting;
  if (columns.counts_periods) {
    const auto found = CountingOf(cells, file, layout.columns[*columns.of_day].name);
    if (!found) return Propagate(found);
    counting = *found;
  }
  RowTimes times;
  const bool states_zone =
      TimeReading(cells, columns, counting, io::TimeZone::Utc()).Read(*wanted, PeriodClock::kWall).states_zone;
  const auto zone = ZoneOf(columns, layout, file, options, states_zone, times);
  if (!zone) return Propagate(zone);
  const TimeReading reader(cells, columns, counting, *zone);
  const io::DateOrder first = *wanted == io::DateOrder::kUnknown ? io::DateOrder::kDayFirst : *wanted;
  Reading best = reader.Read(first, PeriodClock::kWall);
  times.order = best.depends_on_order ? (first == io::DateOrder::kDayFirst ? "day first" : "month first") : "";
  if (*wanted == io::DateOrder::kUnknown) {
    Reading other = reader.Read(io::DateOrder::kMonthFirst, PeriodClock::kWall);
    if (IsBetter(other, best)) {
      best = std::move(other);
      times.order = "month first";
    } else if (!IsBetter(best, other) && !IsSame(best, other)) {
      return Fail(ErrorCode::kInvalidArgument, file,
                  fmt::format("date '{}' can be read in two ways", Printable(cells.front().date, 40)),
                  "set option 'date-order' to day-first or month-first");
    }
  }
  if (columns.counts_periods) {
    const io::DateOrder order = times.order == "month first" ? io::DateOrder::kMonthFirst : first;
    Reading elapsed = reader.Read(order, PeriodClock::kElapsed);
    if (IsBetter(elapsed, best)) best = std::move(elapsed);
  }
  times.is_descending = best.is_descending;
  times.rows = std::move(best.rows);
  return times;
}

}  // namespace heliostat::signal_files
