#include "heliostat/signals/signal_files/table_view.h"

#include <algorithm>

#include "heliostat/base/io/csv.h"
#include "heliostat/base/io/text_encoding.h"
#include "heliostat/signals/signal_files/table_times.h"

namespace heliostat::signal_files {
namespace {

std::vector<TimeCells> AllTimes(std::string_view text, const TableLayout& layout, const TimeColumns& columns) {
  std::size_t least = columns.date;
  for (const auto& column : {columns.of_day, columns.year, columns.month, columns.part, columns.zone}) {
    least = std::max(least, column.value_or(0));
  }
  std::vector<TimeCells> cells;
  io::CsvReader csv(text.substr(layout.begin), "", {.delimiter = layout.delimiter, .is_ragged = true});
  for (std::size_t i = 0; i < layout.rows_before && csv.NextRow(); ++i) {
  }
  while (csv.NextRow()) {
    std::vector<std::string_view> row;
    for (std::size_t i = 0; i < csv.size(); ++i) row.push_back(csv.cell(i));
    if (row.size() <= least) continue;
    if (columns.hours.empty()) cells.push_back(CellsOf(columns, row, csv.line()));
    for (const HourColumn& hour : columns.hours) {
      if (hour.index < row.size() && !io::IsMissingMark(row[hour.index])) {
        cells.push_back(CellsOf(columns, row, csv.line(), &hour));
      }
    }
  }
  return cells;
}

// Returns whether hours are columns.
bool AddTimes(std::string_view text, const std::string& file, const ReadOptions& options, TableView& view) {
  const auto columns = FindTimes(view.layout, file, options.table);
  if (!columns) {
    view.needs.emplace_back("time-column");
    return false;
  }
  view.time_column = columns->name;
  const std::vector<TimeCells> cells = AllTimes(text, view.layout, *columns);
  view.rows = cells.size();
  if (cells.empty()) return false;
  const auto times = ReadTimes(cells, *columns, view.layout, file, options);
  if (!times) return false;
  view.clock = times->clock;
  for (const RowTime& row : times->rows) {
    if (row.state != RowTime::State::kGood) continue;
    if (!view.times) view.times = Interval{row.at, row.at};
    view.times->begin = std::min(view.times->begin, row.at);
    view.times->end = std::max(view.times->end, row.at);
  }
  return !columns->hours.empty();
}

}  // namespace

Result<TableView> ViewTable(std::string_view bytes, const std::string& file, const ReadOptions& options) {
  const io::DecodedText decoded = io::DecodeText(bytes);
  TableView view;
  view.encoding = decoded.encoding;
  auto layout = FindLayout(decoded.text, file, options.table);
  if (!layout) return Propagate(layout);
  view.layout = std::move(*layout);
  const bool has_hours = AddTimes(decoded.text, file, options, view);
  std::size_t numbers = 0;
  std::size_t units = 0;
  for (const TableColumn& column : view.layout.columns) {
    if (!column.IsNumber()) continue;
    ++numbers;
    units += column.unit ? 1 : 0;
  }
  if (units == 0 && numbers > 1 && !has_hours && options.table.columns.empty()) view.needs.emplace_back("value-column");
  if (units == 0 && options.table.unit.empty()) view.needs.emplace_back("unit");
  if (view.layout.decimal == io::DecimalMark::kUnknown) view.needs.emplace_back("decimal");
  return view;
}

}  // namespace heliostat::signal_files
