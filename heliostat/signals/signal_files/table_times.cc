#include "heliostat/signals/signal_files/table_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "heliostat/base/io/time_zone.h"

namespace heliostat::signal_files {
namespace {

using std::chrono::local_seconds;

constexpr Duration kDay = std::chrono::days{1};

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
  if (most <= 24 && (name.find("our") != std::string_view::npos || NamesPeriods(name))) return 24;
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
  if (has("standard")) {
    constexpr std::array<std::pair<std::string_view, const char*>, 4> kStandard{
        {{"eastern", "-05:00"}, {"central", "-06:00"}, {"mountain", "-07:00"}, {"pacific", "-08:00"}}};
    for (const auto& [word, offset] : kStandard) {
      if (has(word)) return offset;
    }
  }
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
  for (const std::string& title : layout.titles) {
    if (named.empty() && !columns.hours.empty()) named = ClockInName(title);
  }
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
