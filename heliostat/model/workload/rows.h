#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/time.h"
#include "heliostat/base/io/csv.h"

namespace heliostat::workload {

// The result of Find() for a column that does not exist.
inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

// The longest time of a trace. Sums of such times do not overflow.
inline constexpr Duration kCentury = std::chrono::hours{24} * 36600;

// The rows of a trace. Columns are looked up once by name, because traces have many rows. The first wrong cell ends the
// rows, and status() has the error. Not thread-safe.
class Rows {
 public:
  // `text` must outlive it. An empty text has no columns.
  Rows(std::string_view text, const std::string& file);

  bool Has(std::span<const std::string_view> columns) const;
  // The index of a column; kNoColumn when there is none of that name.
  std::size_t Find(std::string_view column) const;
  // The same for a required column: the rows end when it is missing.
  std::size_t Need(std::string_view column);

  bool Next() { return status_.has_value() && csv_.NextRow(); }

  std::string_view Text(std::size_t column) const { return csv_.cell(column); }
  // A number from 0 to `most`, inclusive.
  double Number(std::size_t column, double most);
  // Nothing for an empty cell or a column that is missing.
  std::optional<double> OptionalNumber(std::size_t column, double most);
  // A time in `unit`s, rounded to whole seconds; from 0 to a century.
  Duration Length(std::size_t column, Duration unit);
  // A local time as written, in an unknown time zone.
  std::chrono::local_seconds Clock(std::size_t column);

  // Ends the rows with an error about a cell of the current row.
  void Refuse(std::size_t column, std::string allowed);
  // The error of the CSV reader, or the first wrong cell.
  Status status() const { return status_ ? csv_.status() : status_; }
  std::string where() const { return csv_.where(); }
  std::int64_t line() const { return csv_.line(); }

 private:
  std::string file_;
  io::CsvReader csv_;
  std::vector<std::string> header_;
  Status status_;
};

}  // namespace heliostat::workload
