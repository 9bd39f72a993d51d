#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/signals/signal_files/time_columns.h"
#include "heliostat/signals/signal_files/value_columns.h"

namespace heliostat::signal_files {

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

Result<Where> ParseWhere(const TableLayout& layout, const std::string& file, const std::vector<std::string>& texts);

// Reads the times and the wanted cells of all rows that `where` keeps. kInvalidArgument when there is none, or when the
// text stops being a table.
Result<RawRows> ReadRawRows(std::string_view text, const TableLayout& layout, const TimeColumns& times,
                            const std::vector<Wanted>& wanted, const Where& where, const std::string& file);

// A table with several series under each other repeats its times; says which column tells apart
// those that `where` keeps. Its cells repeat, unless they may all differ.
std::string SeriesColumn(const TableLayout& layout, const Where& where, bool may_all_differ);

}  // namespace heliostat::signal_files
