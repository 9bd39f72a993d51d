#include "heliostat/signals/signal_files/any_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/io/table_sample.h"
#include "heliostat/signals/signal_files/draft.h"
#include "heliostat/signals/signal_files/table_rows.h"
#include "heliostat/signals/signal_files/table_times.h"
#include "heliostat/signals/signal_files/value_columns.h"

namespace heliostat::signal_files {
namespace {

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

void AddNotes(const TimeColumns& columns, const std::vector<Wanted>& wanted, const RowTimes& times, const RawRows& rows,
              const Assembly& assembly, SignalTable& table) {
  table.notes = times.notes;
  if (!columns.given_date.empty()) {
    table.notes.push_back(
        fmt::format("all rows are of {}, the date above the table", Printable(columns.given_date, 40)));
  }
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
    if (const std::string series = SeriesColumn(*layout, *where, /*may_all_differ=*/false); !series.empty()) {
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
  AddNotes(*columns, *wanted, *times, *rows, assembly, table);
  if (is_sorted_here) table.notes.emplace_back("its rows are not in the order of their times: sorted");
  return table;
}

}  // namespace heliostat::signal_files
