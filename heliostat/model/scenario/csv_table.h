#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/io/csv.h"

namespace heliostat::scenario {

// A CSV table read by the names of its columns, in any order; columns nobody asks for are ignored. The first cell that
// is not what it must be ends the table: its reading gives 0 or nothing, and status() says what was wrong, so that a
// row is read without a check after each cell.
//
//   while (table.NextRow()) { Job job{.id = table.Text("id"), ...}; if (!table.status()) break; ... }
class CsvTable {
 public:
  // `text` must outlive the table. A header that lacks one of `columns`, or has one twice, ends it at once.
  CsvTable(std::string_view text, std::string file, std::span<const std::string_view> columns);

  // False at the end, or once something was wrong.
  bool NextRow();

  std::string Text(std::string_view column);
  // Of a column that the table may lack, too: nothing then, as for an empty cell.
  std::string TextOrNone(std::string_view column) const;
  double Number(std::string_view column);
  std::optional<double> OptionalNumber(std::string_view column);  // nothing for an empty cell
  int Whole(std::string_view column);
  bool Flag(std::string_view column);  // 0 or 1
  Instant Time(std::string_view column);
  std::optional<Instant> OptionalTime(std::string_view column);

  // Ends the table with a failure of the caller's own.
  void Stop(Status failed);
  const Status& status() const { return status_; }
  // "jobs.csv:17".
  std::string where() const { return csv_.where(); }
  std::int64_t line() const { return csv_.line(); }

 private:
  void ReadHeader(const std::string& file, std::span<const std::string_view> columns);
  std::string_view Cell(std::string_view column) const;
  void Refuse(std::string_view column, std::string allowed);

  io::CsvReader csv_;
  std::vector<std::string> header_;
  Status status_;
};

}  // namespace heliostat::scenario
