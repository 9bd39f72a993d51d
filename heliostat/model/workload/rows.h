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

// What Find() says of a column that is not there.
inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

// No job waits or runs for longer, and sums of these stay far from overflow.
inline constexpr Duration kCentury = std::chrono::hours{24} * 36600;

// The rows of a trace, its columns found once by name: traces have many rows. The first cell that is not what it must
// be ends the rows, and status() says what was wrong.
class Rows {
 public:
  // `text` must outlive it. An empty text has no columns.
  Rows(std::string_view text, const std::string& file);

  bool Has(std::span<const std::string_view> columns) const;
  // Where a column stands; kNoColumn when the table has none of that name.
  std::size_t Find(std::string_view column) const;
  // The same for a column that there must be: the table ends when it is missing.
  std::size_t Need(std::string_view column);

  bool Next() { return status_.has_value() && csv_.NextRow(); }

  std::string_view Text(std::size_t column) const { return csv_.cell(column); }
  // From 0 to `most`, both included.
  double Number(std::size_t column, double most);
  // Nothing for an empty cell or a column that is missing.
  std::optional<double> OptionalNumber(std::size_t column, double most);
  // In `unit`s, rounded to whole seconds; from zero to a century.
  Duration Length(std::size_t column, Duration unit);
  // A clock's reading as it stands, whatever zone the clock was in.
  std::chrono::local_seconds Clock(std::size_t column);

  // Ends the rows with a failure of the caller's own about the current row.
  void Refuse(std::size_t column, std::string allowed);
  // The reader's own failure, or the first refusal.
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
