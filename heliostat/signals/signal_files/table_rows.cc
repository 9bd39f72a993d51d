#include "heliostat/signals/signal_files/table_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "heliostat/base/io/csv.h"

namespace heliostat::signal_files {
namespace {

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
  if (!times.given_date.empty()) return row.size() <= times.hours.front().index;
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

template <typename Row>
bool Keeps(const Where& where, const Row& row) {
  return std::ranges::all_of(where, [&](const Condition& condition) {
    return condition.column < row.size() && Trimmed(row[condition.column]) == condition.value;
  });
}

// Adds a row for each hour of a row that is a day.
void AddHours(const TimeColumns& times, const std::vector<std::string_view>& row, std::int64_t line,
              const TableLayout& layout, const std::string& at, std::optional<Error> bad, RawRows& rows) {
  for (const HourColumn& hour : times.hours) {
    const std::string_view cell = hour.index < row.size() ? row[hour.index] : std::string_view();
    if (hour.may_be_absent && io::IsMissingMark(cell)) continue;
    rows.times.push_back(CellsOf(times, row, line, &hour));
    rows.cells.front().push_back(CellValue(cell, layout.decimal, at, layout.columns[hour.index], bad));
    rows.bad.push_back(std::exchange(bad, std::nullopt));
  }
}

// The last column that a row must have.
std::size_t LastNeeded(const TimeColumns& times, const std::vector<Wanted>& wanted, const Where& where) {
  std::size_t least = times.date;
  for (const auto& column : {times.of_day, times.year, times.month, times.part, times.zone}) {
    least = std::max(least, column.value_or(0));
  }
  if (!times.hours.empty()) least = std::max(least, times.hours[21].index);
  for (const Condition& condition : where) least = std::max(least, condition.column);
  for (const Wanted& one : wanted) least = std::max(least, one.index);
  return least;
}

tl::unexpected<Error> SeveralSeries(const TableLayout& layout, const Where& where, const std::string& file) {
  const std::string series = SeriesColumn(layout, where, /*may_all_differ=*/true);
  return Fail(ErrorCode::kInvalidArgument, file, "has several rows for each day",
              series.empty()
                  ? std::string("one row for each day")
                  : fmt::format("choose one series with option 'where', such as '{}'", Printable(series, 80)));
}

}  // namespace

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

Result<RawRows> ReadRawRows(std::string_view text, const TableLayout& layout, const TimeColumns& times,
                            const std::vector<Wanted>& wanted, const Where& where, const std::string& file) {
  RawRows rows;
  rows.cells.resize(wanted.size());
  const std::size_t least = LastNeeded(times, wanted, where);
  io::CsvReader csv(text.substr(layout.begin), file, {.delimiter = layout.delimiter, .is_ragged = true});
  for (std::size_t i = 0; i < layout.rows_before && csv.NextRow(); ++i) {
  }
  std::vector<std::string_view> row;
  std::optional<Broken> first_footnote;
  std::set<std::string> days;  // of a table whose rows are days
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
    if (!Keeps(where, row)) continue;
    if (!times.hours.empty()) {
      if (!days.insert(CellsOf(times, row, line).date).second) return SeveralSeries(layout, where, file);
      AddHours(times, row, line, layout, at, std::move(bad), rows);
      continue;
    }
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

std::string SeriesColumn(const TableLayout& layout, const Where& where, bool may_all_differ) {
  for (const TableColumn& column : layout.columns) {
    if (column.IsTime() || column.IsNumber() || column.texts == 0) continue;
    const auto index = static_cast<std::size_t>(&column - layout.columns.data());
    std::set<std::string> values;
    std::size_t rows = 0;
    for (const auto& row : layout.sample) {
      if (index >= row.size() || !Keeps(where, row)) continue;
      values.insert(row[index]);
      ++rows;
    }
    if (values.size() >= 2 && (may_all_differ || 2 * values.size() <= rows + 2)) {
      return fmt::format("{}={}", column.name, *values.begin());
    }
  }
  return "";
}

}  // namespace heliostat::signal_files
