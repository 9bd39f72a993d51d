#include "heliostat/signals/signal_files/draft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace heliostat::signal_files {
namespace {

struct Bounds {
  double low;
  double high;
};

// The range of a kind. A value outside indicates another unit: the dirtiest plant emits under 2000 g/kWh, and a
// capacity factor is not a percentage.
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

}  // namespace

Result<const SignalColumn*> SignalTable::Find(std::string_view name) const {
  if (name.empty()) return &columns[primary];
  const auto found = std::ranges::find(columns, name, [](const SignalColumn& column) { return column.signal.name; });
  if (found != columns.end()) return &*found;
  std::string names;
  for (const SignalColumn& column : columns) names += (names.empty() ? "" : ", ") + column.signal.name;
  return Fail(ErrorCode::kNotFound, file, fmt::format("has no column '{}'", Printable(name, 60)), "one of " + names);
}

std::string BaseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

bool ContainsWord(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

Draft::Draft(const Input& input, std::string format) : axis_(input.file), expected_rows_(input.expected_rows) {
  table_.file = input.file;
  table_.format = std::move(format);
}

void Draft::AddColumn(std::size_t index, std::string name, signal::Meaning meaning) {
  const Bounds bounds = BoundsOf(meaning.kind);
  AddColumn(index, std::move(name), std::move(meaning), bounds.low, bounds.high);
}

void Draft::AddColumn(std::size_t index, std::string name, signal::Meaning meaning, double low, double high) {
  columns_.push_back({index, std::move(name), std::move(meaning), low, high, 1, {}});
  columns_.back().cells.reserve(expected_rows_);
}

bool Draft::RefuseCell(const io::CsvReader& csv, const Filling& column, std::string_view text, double value) {
  std::string what = fmt::format("column '{}': ", Printable(column.name, 60));
  std::string allowed = "leave the cell empty where a value is missing";
  if (signal::IsMissing(value)) {
    what += fmt::format("'{}' is not a number", Printable(text, 40));
  } else {
    what += fmt::format("{} is out of range for {} in {}", text, NameOf(column.meaning.kind), UnitText(column.meaning));
    allowed =
        value < column.low ? "must not be negative" : fmt::format("at most {}; the unit may be another", column.high);
  }
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
    if (!csv.ReadNumber(column.index, value)) return RefuseCell(csv, column, text, signal::Missing());
    if (!(value >= column.low && value <= column.high)) return RefuseCell(csv, column, text, value);
    column.cells.push_back(value);
  }
  ++table_.rows;
  return true;
}

bool Draft::AddRow(const io::CsvReader& csv, Instant t) {
  if (!axis_.Add(t, csv.line())) {
    status_ = axis_.status();
    return false;
  }
  return AddCells(csv);
}

Result<SignalTable> Draft::Finish(const io::CsvReader& csv, std::optional<Duration> only_step) {
  if (!csv.status()) return Propagate(csv.status());
  if (const auto bad = axis_.Finish(only_step); !bad) return Propagate(bad);
  for (Filling& column : columns_) {
    if (column.divisor != 1) {
      for (double& cell : column.cells) cell /= column.divisor;
    }
    const auto cells = signal::Summarize(column.cells);
    auto series = signal::StepSeries::Make(axis_.start(), axis_.step(), axis_.Spread(std::move(column.cells)));
    if (!series) return Propagate(series);
    table_.columns.push_back({{std::move(column.name), std::move(column.meaning), std::move(*series)}, cells, {}});
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
