#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/io/csv.h"
#include "heliostat/base/io/written_number.h"

namespace heliostat::scenario {

// How the cells of a table are written. A table of a user may have blanks around its cells, and marks between the
// thousands of its numbers; one that Heliostat writes has a decimal point and neither. A plain value type.
struct CellForm {
  char delimiter = ',';
  io::DecimalMark decimal = io::DecimalMark::kUnknown;  // kUnknown: as Heliostat writes tables
};

// A CSV cell, in quotes where needed.
std::string CsvCell(const std::string& text);

// Reads a CSV table by the names of its columns, in any order; other columns are ignored. The first wrong cell ends the
// table: the call returns 0 or nothing, and status() has the error. So the caller need not check after each cell. Not
// thread-safe.
//
//   while (table.NextRow()) { Job job{.id = table.Text("id"), ...}; if (!table.status()) continue; ... }
class CsvTable {
 public:
  // `text` must outlive the table. A header that lacks one of `columns`, or has one twice, ends the table at once. With
  // `skipped`, a wrong row does not end the table: NextRow() moves its error there and goes on.
  CsvTable(std::string_view text, std::string file, std::span<const std::string_view> columns,
           std::vector<Error>* skipped = nullptr, CellForm form = {});

  // False at the end or after an error.
  bool NextRow();
  bool HasColumn(std::string_view column) const;

  std::string Text(std::string_view column);
  // Empty for an empty cell, and for a column that the table does not have.
  std::string TextOrNone(std::string_view column) const;
  double Number(std::string_view column);
  std::optional<double> OptionalNumber(std::string_view column);  // nothing for an empty cell
  int Whole(std::string_view column);
  bool Flag(std::string_view column);  // 0 or 1
  Instant Time(std::string_view column);
  std::optional<Instant> OptionalTime(std::string_view column);

  // Ends the table, or the row of a table that skips rows, with an error of the caller.
  void Stop(Status failed);
  const Status& status() const { return status_; }
  // The present place, such as "jobs.csv:17".
  std::string where() const { return csv_.where(); }
  std::int64_t line() const { return csv_.line(); }

 private:
  void ReadHeader(const std::string& file, std::span<const std::string_view> columns);
  std::string_view Cell(std::string_view column) const;
  std::optional<double> ReadNumber(std::string_view cell) const;
  void Refuse(std::string_view column, std::string allowed);

  io::CsvReader csv_;
  std::vector<std::string> header_;
  std::vector<Error>* skipped_;
  io::DecimalMark decimal_;
  bool is_in_row_ = false;  // a row was read; its errors can be skipped
  Status status_;
};

}  // namespace heliostat::scenario
