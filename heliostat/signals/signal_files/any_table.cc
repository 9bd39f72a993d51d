#include "heliostat/signals/signal_files/any_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "heliostat/base/io/csv.h"
#include "heliostat/base/io/table_sample.h"
#include "heliostat/signals/signal_files/draft.h"
#include "heliostat/signals/signal_files/table_times.h"
#include "heliostat/signals/signal_files/value_columns.h"

namespace heliostat::signal_files {
namespace {

// A line that is not a row.
struct Broken {
  std::int64_t line;
  Error error;
};

// The rows of a table as read, before they have an order.
struct RawRows {
  std::vector<TimeCells> times;
  std::vector<std::vector<double>> cells;  // by column
  std::vector<std::optional<Error>> bad;   // of the cells of a row
  std::vector<Broken> broken{};            // lines in the table that are not rows
  std::size_t footnotes = 0;               // lines after the table
};

// Rows to keep have this cell.
struct Condition {
  std::size_t column;
  std::string value;
};
using Where = std::vector<Condition>;

Result<Where> ParseWhere(const TableLayout& layout, const std::string& file, const std::vector<std::string>& texts) {
  Where where;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos) {
      return Fail(ErrorCode::kInvalidArgument, "where option", fmt::format("'{}' has no '='", Printable(text, 60)),
                  "COLUMN=VALUE, such as Zone=DE");
    }
    const auto column = FindColumn(layout, text.substr(0, equals), file);
    if (!column) return Propagate(column);
    where.push_back({*column, text.substr(equals + 1)});
  }
  return where;
}

double CellValue(std::string_view text, io::DecimalMark mark, const std::string& where, const TableColumn& column,
                 std::optional<Error>& bad) {
  if (io::IsMissingMark(text)) return signal::Missing();
  std::string_view number = Trimmed(text);
  // Every cell must have the same unit behind its number.
  const bool has_unit = !column.cell_unit.empty() && number.ends_with(column.cell_unit);
  if (has_unit) number.remove_suffix(column.cell_unit.size());
  const auto value = io::ParseWrittenNumber(number, mark);
  if (value && has_unit == !column.cell_unit.empty()) return *value;
  if (!bad) {
    bad = Error{ErrorCode::kInvalidArgument, where,
                fmt::format("column '{}': '{}' is not a number{}", Printable(column.name, 60), Printable(text, 40),
                            column.cell_unit.empty() ? "" : " in " + column.cell_unit),
                "leave the cell empty where a value is missing"};
  }
  return signal::Missing();
}

// Text under the table, such as its source or totals: where rows have their date, it does not begin like one.
bool IsFootnote(const std::vector<std::string_view>& row, const TimeColumns& times) {
  const std::string_view date = Trimmed(times.date < row.size() ? row[times.date] : row.front());
  const std::string_view first = Trimmed(row.front());
  const auto begins_with_digit = [](std::string_view text) {
    return !text.empty() && text.front() >= '0' && text.front() <= '9';
  };
  return !begins_with_digit(first) && !begins_with_digit(date) && !io::IsWithoutYear(date) &&
         !io::ParseWrittenTime(date, io::DateOrder::kUnknown);
}

Broken NotARow(std::string_view text, std::int64_t line, const std::string& file) {
  return {line,
          {ErrorCode::kInvalidArgument, fmt::format("{}:{}", file, line),
           fmt::format("'{}' is not a time", Printable(text, 40)), "a time in the form of the other rows"}};
}

Result<RawRows> ReadRawRows(std::string_view text, const TableLayout& layout, const TimeColumns& times,
                            const std::vector<Wanted>& wanted, const Where& where, const std::string& file) {
  RawRows rows;
  rows.cells.resize(wanted.size());
  std::size_t least = times.date;
  for (const auto& column : {times.of_day, times.year, times.month, times.part, times.zone}) {
    least = std::max(least, column.value_or(0));
  }
  for (const Condition& condition : where) least = std::max(least, condition.column);
  for (const Wanted& one : wanted) least = std::max(least, one.index);
  io::CsvReader csv(text.substr(layout.begin), file, {.delimiter = layout.delimiter, .is_ragged = true});
  for (std::size_t i = 0; i < layout.rows_before && csv.NextRow(); ++i) {
  }
  std::vector<std::string_view> row;
  std::optional<Broken> first_footnote;
  while (csv.NextRow()) {
    row.clear();
    for (std::size_t i = 0; i < csv.size(); ++i) row.push_back(csv.cell(i));
    if (row.front().starts_with("#")) continue;
    const std::int64_t line = csv.line() + layout.begin_line - 1;
    const bool is_narrow = row.size() <= least;
    if (IsFootnote(row, times)) {
      if (rows.footnotes++ == 0) first_footnote = NotARow(row[std::min(times.date, row.size() - 1)], line, file);
      continue;
    }
    if (rows.footnotes > 0) {
      // It was not under the table after all.
      rows.broken.emplace_back(*first_footnote);
      rows.footnotes = 0;
    }
    const std::string at = fmt::format("{}:{}", file, line);
    std::optional<Error> bad;
    if (is_narrow) {
      bad = Error{ErrorCode::kInvalidArgument, at,
                  fmt::format("row has {} cell{}", row.size(), row.size() == 1 ? "" : "s"),
                  fmt::format("the header has {}: the file may be truncated here", layout.columns.size())};
      row.resize(std::max(row.size(), least + 1));
    }
    const bool is_wanted = std::ranges::all_of(
        where, [&](const Condition& condition) { return Trimmed(row[condition.column]) == condition.value; });
    if (!is_wanted) continue;
    rows.times.push_back(CellsOf(times, row, line));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      rows.cells[i].push_back(
          CellValue(row[wanted[i].index], layout.decimal, at, layout.columns[wanted[i].index], bad));
    }
    rows.bad.push_back(std::move(bad));
  }
  if (!csv.status()) {
    // The reader counts lines from the first row of the table.
    Error error = csv.status().error();
    error.where = fmt::format("{}:{}", file, csv.line() + layout.begin_line - 1);
    return tl::unexpected(error);
  }
  if (rows.times.empty()) {
    return Fail(ErrorCode::kInvalidArgument, file, where.empty() ? "has no rows" : "has no row with the wanted value",
                where.empty() ? std::string("at least two rows are needed")
                              : fmt::format("'{}' in column '{}'", Printable(where.back().value, 40),
                                            Printable(layout.columns[where.back().column].name, 60)));
  }
  return rows;
}

// A table with several series under each other repeats its times; says which column tells them apart.
std::string SeriesColumn(const TableLayout& layout) {
  for (const TableColumn& column : layout.columns) {
    if (column.IsTime() || column.IsNumber() || column.texts == 0) continue;
    const auto index = static_cast<std::size_t>(&column - layout.columns.data());
    std::set<std::string> values;
    for (const auto& row : layout.sample) {
      if (index < row.size()) values.insert(row[index]);
    }
    if (values.size() >= 2 && 2 * values.size() <= layout.sample.size() + 2) {
      return fmt::format("{}={}", column.name, *values.begin());
    }
  }
  return "";
}

// The order of the rows in time: that of the file, or its reverse. Rows in any other order are sorted if that gives
// every step exactly one row; otherwise a wrong date may be among them, and they stay as they are.
std::vector<std::size_t> OrderOf(const RowTimes& times, bool& is_sorted_here) {
  std::vector<std::size_t> order(times.rows.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = times.is_descending ? order.size() - 1 - k : k;
  const auto at = [&](std::size_t row) { return times.rows[row].at; };
  const bool is_complete =
      std::ranges::all_of(times.rows, [](const RowTime& row) { return row.state == RowTime::State::kGood; });
  if (!is_complete || std::ranges::is_sorted(order, {}, at) || order.size() < 3) return order;
  std::vector<std::size_t> sorted = order;
  std::ranges::stable_sort(sorted, {}, at);
  const Duration step = at(sorted[1]) - at(sorted[0]);
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    if (step <= Duration{0} || at(sorted[k]) - at(sorted[k - 1]) != step) return order;
  }
  is_sorted_here = true;
  return sorted;
}

// Puts the rows on a time axis and collects those that cannot be.
class Assembly {
 public:
  Assembly(const RawRows& rows, const RowTimes& times, const std::vector<std::size_t>& order, const std::string& file)
      : rows_(rows), times_(times), file_(file), axis_(file) {
    for (const Broken& one : rows.broken) bad_.Add(one.line, one.error);
    for (const std::size_t row : order) Add(row);
  }

  const BadRows& bad() const { return bad_; }
  std::size_t repeats() const { return repeats_; }
  std::size_t dropped() const { return rows_.times.size() - kept_.size(); }
  // The rows with a place on the axis, in the order of their times.
  const std::vector<std::size_t>& kept() const { return kept_; }
  std::size_t skipped_hours() const { return skipped_hours_; }
  TimeAxis& axis() { return axis_; }

 private:
  void Add(std::size_t row) {
    const TimeCells& cells = rows_.times[row];
    const RowTime& time = times_.rows[row];
    if (time.state == RowTime::State::kSkippedByClock) {
      ++skipped_hours_;
      return;
    }
    if (time.state == RowTime::State::kBad) {
      if (rows_.bad[row]) return bad_.Add(cells.line, *rows_.bad[row]);
      const std::string text = cells.of_day.empty() ? cells.date : cells.date + " " + cells.of_day;
      return bad_.Add(cells.line,
                      {ErrorCode::kInvalidArgument, fmt::format("{}:{}", file_, cells.line),
                       fmt::format("'{}' is not a time", Printable(text, 40)), "a time in the form of the other rows"});
    }
    if (!axis_.Add(time.at, cells.line)) {
      repeats_ += time.at == axis_.last() ? 1 : 0;
      bad_.Add(cells.line, axis_.TakeRefusal());
      return;
    }
    if (rows_.bad[row]) bad_.Add(cells.line, *rows_.bad[row]);
    kept_.push_back(row);
  }

  const RawRows& rows_;
  const RowTimes& times_;
  const std::string& file_;
  TimeAxis axis_;
  BadRows bad_;
  std::vector<std::size_t> kept_;
  std::size_t repeats_ = 0;
  std::size_t skipped_hours_ = 0;
};

signal::Meaning MeaningOf(const Wanted& wanted, const RowTimes& times, bool ends_interval, const ReadOptions& options) {
  signal::Meaning meaning;
  meaning.kind = wanted.unit.kind;
  meaning.unit = wanted.unit.unit;
  meaning.zone = options.zone;
  meaning.time_base = times.clock + (ends_interval ? ", interval ending" : "");
  meaning.currency = wanted.currency;
  if (meaning.kind == signal::Kind::kPrice && !meaning.currency) {
    meaning.notes.emplace_back("currency is not known; set option 'currency'");
  }
  return meaning;
}

// Carbon and prices are what most commands need; then the first column counts.
std::size_t PrimaryOf(const std::vector<Wanted>& wanted) {
  for (const signal::Kind kind : {signal::Kind::kPrice, signal::Kind::kCarbonIntensity, signal::Kind::kPower}) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[0].asked.empty() && wanted[i].unit.kind == kind) return i;
    }
  }
  return 0;
}

std::string ToldOf(const TableLayout& layout, const TimeColumns& columns, const RowTimes& times, const Wanted& value,
                   std::string_view encoding) {
  std::string told = fmt::format("read as a table: {} between cells", io::DelimiterName(layout.delimiter));
  if (layout.decimal == io::DecimalMark::kComma) told += ", decimal comma";
  if (encoding != "UTF-8") told += fmt::format(", {}", encoding);
  told += layout.header_line == 0  ? ", no header"
          : layout.header_line > 1 ? fmt::format(", header in line {}", layout.header_line)
                                   : "";
  told += fmt::format("; times in '{}'", Printable(columns.name, 60));
  std::string how = times.clock;
  if (!times.order.empty()) how += ", " + times.order;
  if (columns.ends_interval) how += ", end of interval";
  if (times.is_descending) how += ", newest first";
  told += fmt::format(" ({}); values in '{}' in {}", how, Printable(value.name, 60), value.unit.text);
  if (value.unit.is_energy_per_step) told += " per step, read as mean power";
  return told;
}

// Converts the cells of a column and checks their range; a value outside makes a bad row.
std::vector<double> Converted(const Wanted& wanted, const std::string& name, const std::vector<double>& raw,
                              const RawRows& rows, const std::string& file, const Assembly& assembly, double hours,
                              BadRows& bad) {
  constexpr double kAny = std::numeric_limits<double>::max();
  const Bounds bounds = wanted.unit.kind == signal::Kind::kPower ? Bounds{-kAny, kAny} : BoundsOf(wanted.unit.kind);
  std::vector<double> values;
  for (const std::size_t row : assembly.kept()) {
    double value = raw[row] * wanted.unit.factor / (wanted.unit.is_energy_per_step ? hours : 1.0);
    if (!signal::IsMissing(value) && !(value >= bounds.low && value <= bounds.high)) {
      bad.Add(rows.times[row].line,
              {ErrorCode::kInvalidArgument, fmt::format("{}:{}", file, rows.times[row].line),
               fmt::format("column '{}': {} is out of range for {} in {}", Printable(name, 60), raw[row],
                           NameOf(wanted.unit.kind), wanted.unit.text),
               value < bounds.low ? "must not be negative" : "the unit may be another: set option 'unit'"});
      value = signal::Missing();
    }
    values.push_back(value);
  }
  return values;
}

void AddNotes(const std::vector<Wanted>& wanted, const RowTimes& times, const RawRows& rows,
              const Assembly& assembly, SignalTable& table) {
  table.notes = times.notes;
  if (assembly.skipped_hours() > 0) {
    table.notes.push_back(fmt::format("{} rows at times that {} skips (clocks go forward) are dropped",
                                      assembly.skipped_hours(), times.clock));
  }
  if (rows.footnotes > 0) {
    table.notes.push_back(fmt::format("{} lines after the table are not rows", rows.footnotes));
  }
  if (table.skipped > 0) table.notes.push_back(fmt::format("{} bad rows are skipped", table.skipped));
  for (const Wanted& one : wanted) {
    if (one.unit.has_assumed_currency && one.currency == one.unit.currency) {
      table.notes.push_back(
          fmt::format("column '{}' names its currency by a sign: read as {}; set option 'currency' for "
                      "another",
                      Printable(one.name, 60), one.currency->code()));
    }
  }
}

}  // namespace

Result<SignalTable> ReadAnyTable(std::string_view text, std::string_view encoding, const std::string& file,
                                 const ReadOptions& options) {
  const auto layout = FindLayout(text, file, options.table);
  if (!layout) return Propagate(layout);
  const auto columns = FindTimes(*layout, file, options.table);
  if (!columns) return Propagate(columns);
  const auto wanted = ChooseColumns(*layout, *columns, file, options);
  if (!wanted) return Propagate(wanted);
  const auto where = ParseWhere(*layout, file, options.table.where);
  if (!where) return Propagate(where);
  if (layout->decimal == io::DecimalMark::kUnknown) return io::UnknownDecimal(file, "decimal");
  const auto rows = ReadRawRows(text, *layout, *columns, *wanted, *where, file);
  if (!rows) return Propagate(rows);
  const auto times = ReadTimes(rows->times, *columns, *layout, file, options);
  if (!times) return Propagate(times);

  bool is_sorted_here = false;
  Assembly assembly(*rows, *times, OrderOf(*times, is_sorted_here), file);
  if (4 * assembly.repeats() > rows->times.size()) {
    if (const std::string series = SeriesColumn(*layout); !series.empty()) {
      return Fail(ErrorCode::kInvalidArgument, file, "has several rows for each time",
                  fmt::format("choose one series with option 'where', such as '{}'", Printable(series, 80)));
    }
  }
  const bool may_skip = options.table.skips_bad_rows;
  if (const auto bad = assembly.bad().Judge(file, rows->times.size(), may_skip); !bad) return Propagate(bad);
  if (const auto bad = assembly.axis().Finish(); !bad) return Propagate(bad);
  const Duration step = assembly.axis().step();
  const double hours = static_cast<double>(step.count()) / 3600.0;
  const Instant start = assembly.axis().start() - (columns->ends_interval ? step : Duration{0});

  SignalTable table;
  table.file = file;
  table.format = "table";
  BadRows outside;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const Wanted& one = (*wanted)[i];
    const std::string& name = one.name;
    if (options.table.unit.empty()) {
      const auto bad = RefuseImplausible(one.unit, one.currency, rows->cells[i], file, name);
      if (!bad) return Propagate(bad);
    }
    auto values = Converted(one, name, rows->cells[i], *rows, file, assembly, hours, outside);
    const auto summary = signal::Summarize(values);
    auto series = signal::StepSeries::Make(start, step, assembly.axis().Spread(std::move(values)));
    if (!series) return Propagate(series);
    table.columns.push_back(
        {{name, MeaningOf(one, *times, columns->ends_interval, options), std::move(*series)}, summary, {}, one.asked});
  }
  if (const auto bad = outside.Judge(file, rows->times.size(), may_skip); !bad) return Propagate(bad);
  table.primary = PrimaryOf(*wanted);
  table.rows = rows->times.size();
  table.dropped = assembly.dropped();
  table.skipped = assembly.bad().count() + outside.count();
  table.absent = assembly.axis().slots() - assembly.axis().rows();
  table.told = ToldOf(*layout, *columns, *times, (*wanted)[table.primary], encoding);
  AddNotes(*wanted, *times, *rows, assembly, table);
  if (is_sorted_here) table.notes.emplace_back("its rows are not in the order of their times: sorted");
  return table;
}

}  // namespace heliostat::signal_files
