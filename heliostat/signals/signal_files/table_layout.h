#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/written_number.h"
#include "heliostat/base/io/written_time.h"
#include "heliostat/signals/signal/unit_text.h"
#include "heliostat/signals/signal_files/signal_table.h"

namespace heliostat::signal_files {

// A column of a table, and what its first cells are. A plain value type.
struct TableColumn {
  std::string name;  // as in the header; "column 3" where the header has none
  std::optional<signal::UnitReading> unit{};
  std::string cell_unit{};   // that each cell repeats: "kW" in "13,1 kW"
  std::string text_about{};  // what titles, comments or notes under the table say about it: "time in UTC"
  // Numbers of cells in the sample.
  std::size_t times = 0;         // with a date
  std::size_t times_of_day = 0;  // of the times, those that also have a time of day
  std::size_t offsets = 0;       // of the times, those that state their zone
  std::size_t clocks = 0;        // a time of day alone
  std::size_t numbers = 0;
  std::size_t texts = 0;
  std::size_t empties = 0;
  std::size_t yearless = 0;  // of the times, dates without a year
  bool is_constant = true;   // all cells of the sample are the same

  bool IsTime() const { return times > 0 && times >= 9 * (clocks + numbers + texts); }
  bool IsClock() const { return clocks > 0 && clocks >= 9 * (times + numbers + texts); }
  // A few cells may be wrong: they are reported as bad rows.
  bool IsNumber() const { return numbers > 0 && numbers > times + clocks + texts; }
};

// How a table is laid out. A plain value type.
struct TableLayout {
  char delimiter = ',';
  std::size_t begin = 0;         // of its first row in the text, after comment lines
  std::int64_t begin_line = 1;   // the line of that
  std::size_t rows_before = 0;   // titles and header, before the first row of data
  std::int64_t header_line = 0;  // 0: there is no header
  io::DecimalMark decimal = io::DecimalMark::kUnknown;
  std::vector<TableColumn> columns;
  std::vector<std::string> titles;               // lines above the header, and comments
  std::vector<std::vector<std::string>> sample;  // the first rows of data
};

// Finds delimiter, header, columns and decimal mark of a UTF-8 text. kInvalidArgument when the text is not a table, or
// when an option is wrong.
Result<TableLayout> FindLayout(std::string_view text, const std::string& file, const TableOptions& options);

// The index of the column that a user names: by its name, without regard to case if that is unambiguous, or by its
// number from 1. kNotFound names `where` and the columns.
Result<std::size_t> FindColumn(const TableLayout& layout, std::string_view name, std::string_view where);

// "time", "price in EUR/MWh", "price, unit not known", "text".
std::string GuessText(const TableColumn& column);

bool IsSameWithoutCase(std::string_view a, std::string_view b);

}  // namespace heliostat::signal_files
