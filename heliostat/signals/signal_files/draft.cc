#include "heliostat/signals/signal_files/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "heliostat/base/core/nearest.h"
#include "heliostat/signals/signal_files/table_layout.h"

namespace heliostat::signal_files {
namespace {

constexpr std::size_t kLinesToName = 5;

}  // namespace

Bounds BoundsOf(signal::Kind kind) {
  constexpr double kAny = std::numeric_limits<double>::max();
  switch (kind) {
    case signal::Kind::kCarbonIntensity:
      return {0, 5000};
    case signal::Kind::kCapacityFactor:
      return {0, 1.5};
    case signal::Kind::kShare:
      return {0, 100.5};
    case signal::Kind::kPower:
      return {0, kAny};
    case signal::Kind::kPrice:
    case signal::Kind::kOther:
      break;
  }
  return {-kAny, kAny};
}

void BadRows::Add(std::int64_t line, Error error) {
  lines_.push_back(line);
  if (!first_) first_ = std::move(error);
}

Status BadRows::Judge(const std::string& file, std::size_t rows, bool may_skip) const {
  if (lines_.empty()) return {};
  if (may_skip && 2 * lines_.size() <= rows) return {};
  const auto named = std::span(lines_).first(std::min(lines_.size(), kLinesToName));
  std::string lines = fmt::format("{}", fmt::join(named, ", "));
  if (lines_.size() > named.size()) lines += fmt::format(" and {} more", lines_.size() - named.size());
  if (may_skip) {
    return Fail(ErrorCode::kInvalidArgument, file,
                fmt::format("{} of {} rows are bad: lines {}; the first: {}", lines_.size(), rows, lines, first_->what),
                "at most half of the rows may be skipped");
  }
  Error error = *first_;
  if (lines_.size() > 1) error.what += fmt::format(" ({} bad rows: lines {})", lines_.size(), lines);
  error.allowed += fmt::format("{}skip bad rows with option 'skip-bad-rows'", error.allowed.empty() ? "" : ", or ");
  return tl::unexpected(error);
}

Result<std::optional<Currency>> CurrencyOf(const std::optional<Currency>& stated, const ReadOptions& options,
                                           const std::string& file) {
  if (!options.currency.empty()) {
    const auto wanted = Currency::Parse(options.currency);
    if (!wanted) {
      return Fail(ErrorCode::kInvalidArgument, "currency option",
                  fmt::format("'{}' is not a currency", Printable(options.currency, 20)), "three letters such as EUR");
    }
    if (stated && *stated != *wanted) {
      return Fail(ErrorCode::kInvalidArgument, file,
                  fmt::format("names {}, option 'currency' says {}", stated->code(), wanted->code()),
                  "leave the option out, or set option 'unit' if the file is wrong");
    }
    return wanted;
  }
  return stated ? stated : Currency::Parse(options.default_currency);
}

Status RefuseImplausible(const signal::UnitReading& unit, const std::optional<Currency>& currency,
                         std::span<const double> cells, const std::string& file, const std::string& column) {
  const std::string looks = signal::UnitItLooksLike(unit, currency, cells);
  if (looks.empty()) return {};
  const auto summary = signal::Summarize(cells);
  return Fail(ErrorCode::kInvalidArgument, file,
              fmt::format("column '{}' claims to be in {}, but its mean of {:.4g} looks like {}", Printable(column, 60),
                          unit.text, summary.mean, looks),
              unit.kind == signal::Kind::kPrice && !currency
                  ? "set option 'unit' to the true one, or option 'currency' if it is a small one"
                  : "set option 'unit' to the true one");
}

Result<const SignalColumn*> SignalTable::Find(std::string_view name) const {
  if (name.empty()) return &columns[primary];
  std::vector<const SignalColumn*> alike;
  std::vector<std::string_view> names;
  for (const SignalColumn& column : columns) {
    if (column.signal.name == name || column.alias == name) return &column;
    if (IsSameWithoutCase(column.signal.name, name)) alike.push_back(&column);
    names.push_back(column.signal.name);
  }
  if (alike.size() == 1) return alike.front();
  return Fail(ErrorCode::kNotFound, file, fmt::format("has no column '{}'", Printable(name, 60)), OneOf(name, names));
}

std::string BaseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool ContainsWord(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

Draft::Draft(const Input& input, std::string format)
    : axis_(input.file),
      expected_rows_(input.expected_rows),
      header_(input.header),
      may_skip_(input.options.table.skips_bad_rows),
      trusts_units_(!input.options.table.unit.empty()) {
  table_.file = input.file;
  table_.format = std::move(format);
}

void Draft::AddColumn(std::size_t index, std::string name, signal::Meaning meaning) {
  const Bounds bounds = BoundsOf(meaning.kind);
  AddColumn(index, std::move(name), std::move(meaning), bounds.low, bounds.high);
}

void Draft::AddColumn(std::size_t index, std::string name, signal::Meaning meaning, double low, double high) {
  columns_.push_back({index, std::move(name), std::move(meaning), low, high});
  columns_.back().cells.reserve(expected_rows_);
}

void Draft::ConvertLast(signal::UnitReading unit) {
  Filling& column = columns_.back();
  constexpr double kAny = std::numeric_limits<double>::max();
  if (column.high < kAny) column.high /= unit.factor;
  column.unit = std::move(unit);
}

bool Draft::RefuseCell(const io::CsvReader& csv, const Filling& column, std::string_view text, double value) {
  std::string what = fmt::format("column '{}': ", Printable(column.name, 60));
  std::string allowed = "leave the cell empty where a value is missing";
  if (signal::IsMissing(value)) {
    what += fmt::format("'{}' is not a number", Printable(text, 40));
  } else {
    what += fmt::format("{} is out of range for {} in {}", text, NameOf(column.meaning.kind),
                        column.unit ? column.unit->text : UnitText(column.meaning));
    allowed = value < column.low ? "must not be negative"
                                 : fmt::format("at most {:g}; the unit may be another: set option 'unit'", column.high);
  }
  if (!status_) return false;  // the first reason counts
  status_ = Fail(ErrorCode::kInvalidArgument, csv.where(), std::move(what), std::move(allowed));
  return false;
}

bool Draft::AddCells(const io::CsvReader& csv) {
  for (Filling& column : columns_) {
    const std::string_view text = csv.cell(column.index);
    if (text.empty()) {
      column.cells.push_back(signal::Missing());
      continue;
    }
    double value = 0;
    if (!csv.ReadNumber(column.index, value)) {
      RefuseCell(csv, column, text, signal::Missing());
      value = signal::Missing();
    } else if (!(value >= column.low && value <= column.high)) {
      RefuseCell(csv, column, text, value);
      value = signal::Missing();
    }
    column.cells.push_back(value);
  }
  ++table_.rows;
  return status_.has_value();
}

bool Draft::AddRow(const io::CsvReader& csv, Instant t) {
  if (!axis_.Add(t, csv.line())) {
    status_ = tl::unexpected(axis_.TakeRefusal());
    Drop();
    return false;
  }
  return AddCells(csv);
}

Status Draft::Judge(const BadRows& bad) {
  table_.skipped = bad.count();
  if (bad.count() > 0 && may_skip_) Note(fmt::format("{} bad rows are skipped", bad.count()));
  return bad.Judge(table_.file, table_.rows + table_.dropped, may_skip_);
}

Error WrongWidth(const io::CsvReader& csv, std::size_t width) {
  return {ErrorCode::kInvalidArgument, csv.where(),
          fmt::format("row has {} cell{}", csv.size(), csv.size() == 1 ? "" : "s"),
          fmt::format("the header has {}: the file may be truncated here", width)};
}

// Brings the cells of a column to the unit of its meaning, unless they contradict their unit.
Status Draft::Convert(Filling& column) {
  signal::UnitReading unit;
  unit.kind = column.meaning.kind;
  unit.unit = column.meaning.unit;
  unit.text = UnitText(column.meaning);
  if (column.unit) unit = *column.unit;
  if (!trusts_units_) {
    const auto bad = RefuseImplausible(unit, column.meaning.currency, column.cells, table_.file, column.name);
    if (!bad) return bad;
  }
  const double hours = static_cast<double>(axis_.step().count()) / 3600.0;
  const double factor = unit.factor / (unit.is_energy_per_step ? hours : 1.0);
  if (factor != 1.0 || column.divisor != 1) {
    for (double& cell : column.cells) cell = cell * factor / column.divisor;
  }
  return {};
}

Result<SignalTable> Draft::Finish(const io::CsvReader& csv, std::optional<Duration> only_step) {
  if (!csv.status()) return Propagate(csv.status());
  if (const auto bad = axis_.Finish(only_step); !bad) return Propagate(bad);
  for (Filling& column : columns_) {
    if (const auto bad = Convert(column); !bad) return Propagate(bad);
    const auto cells = signal::Summarize(column.cells);
    auto series = signal::StepSeries::Make(axis_.start(), axis_.step(), axis_.Spread(std::move(column.cells)));
    if (!series) return Propagate(series);
    std::string alias = column.index < header_.size() ? header_[column.index] : "";
    table_.columns.push_back(
        {{std::move(column.name), std::move(column.meaning), std::move(*series)}, cells, {}, std::move(alias)});
  }
  table_.rows += table_.dropped;
  table_.absent = axis_.slots() - axis_.rows();
  if (!csv.ends_with_newline()) Note("the last line has no newline: the file and its last value may be truncated");
  return std::move(table_);
}

Result<SignalTable> Draft::FinishRuns(const io::CsvReader& csv, const std::vector<Instant>& issued,
                                      const std::vector<Instant>& target, Duration step) {
  if (!csv.status()) return Propagate(csv.status());
  if (target.empty()) return Fail(ErrorCode::kInvalidArgument, table_.file, "has a header but no rows");
  const auto [first, last] = std::ranges::minmax(target);
  if (const auto far = RefuseFarTimes(table_.file, first, last); !far) return Propagate(far);
  const auto slots = static_cast<std::size_t>((last - first) / step) + 1;
  if (slots > 2 * target.size() + 100000) {
    return Fail(ErrorCode::kInvalidArgument, table_.file,
                fmt::format("has times from {} to {}", FormatInstant(first), FormatInstant(last)),
                "a date may be wrong");
  }
  for (Filling& column : columns_) {
    std::vector<double> newest(slots, signal::Missing());
    std::vector<signal::ForecastRun> runs;
    for (std::size_t row = 0; row < target.size();) {
      std::vector<double> values;
      const std::size_t begin = row;
      for (; row < target.size() && issued[row] == issued[begin]; ++row) {
        values.push_back(column.cells[row]);
        newest[static_cast<std::size_t>((target[row] - first) / step)] = column.cells[row];
      }
      auto run = signal::StepSeries::Make(target[begin], step, std::move(values));
      if (!run) return Propagate(run);
      runs.push_back({issued[begin], std::move(*run)});
    }
    auto series = signal::StepSeries::Make(first, step, std::move(newest));
    if (!series) return Propagate(series);
    if (column.meaning.nature != signal::Nature::kForecast) runs.clear();
    table_.columns.push_back({{std::move(column.name), std::move(column.meaning), std::move(*series)},
                              signal::Summarize(column.cells),
                              std::move(runs)});
  }
  std::vector<bool> seen(slots);
  for (const Instant t : target) seen[static_cast<std::size_t>((t - first) / step)] = true;
  table_.absent = static_cast<std::size_t>(std::ranges::count(seen, false));
  return std::move(table_);
}

tl::unexpected<Error> NotATime(const io::CsvReader& csv, std::string_view text, std::string_view wanted) {
  return Fail(ErrorCode::kInvalidArgument, csv.where(), fmt::format("'{}' is not a time", Printable(text, 40)),
              fmt::format("write {}", wanted));
}

Result<std::optional<Instant>> UtcCell(const io::CsvReader& csv, std::size_t index) {
  const auto time = ParseIsoTime(csv.cell(index));
  if (!time) return NotATime(csv, csv.cell(index), "2023-06-01T00:00:00Z");
  return Instant{time->local.time_since_epoch()} - time->utc_offset.value_or(std::chrono::minutes{0});
}

}  // namespace heliostat::signal_files
