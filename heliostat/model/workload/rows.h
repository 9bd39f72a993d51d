#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/split.h"
#include "heliostat/base/core/time.h"
#include "heliostat/base/io/csv.h"
#include "heliostat/base/io/table_sample.h"
#include "heliostat/base/io/written_time.h"
#include "heliostat/model/workload/trace.h"

namespace heliostat::workload {

// The result of Find() for a column that does not exist.
inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

// The longest time of a trace. Sums of such times do not overflow.
inline constexpr Duration kCentury = std::chrono::hours{24} * 36600;

// The rows of a trace. Columns are looked up once by name, because traces have many rows. The first wrong cell ends the
// rows, and status() has the error; or, if the options say so, the row is bad and the next one follows. Not
// thread-safe.
class Rows {
 public:
  // `text` must outlive it. An empty text has no columns. Commas, semicolons, tabs or bars separate cells, as
  // io::FindDelimiter() finds.
  Rows(std::string_view text, const std::string& file, const TraceOptions& options = {});

  const std::vector<std::string>& header() const { return header_; }

  bool Has(std::span<const std::string_view> columns) const;
  // The index of a column; kNoColumn when there is none of that name.
  std::size_t Find(std::string_view column) const;
  // The same for a required column: the rows end when it is missing.
  std::size_t Need(std::string_view column);

  // Finds the decimal mark of the numbers in `columns` of a table that is not of a known format. Until then it is a
  // point. The rows end when it is not certain; `wanted` ("point" or "comma") decides, unless it is empty.
  void FindDecimal(std::span<const std::size_t> columns, const std::string& wanted);
  io::DecimalMark decimal() const { return decimal_; }
  // Finds the order of day and month in `columns`: `wanted`, unless it is empty, else that of dates such as 31/03/2024.
  // Until then, and where no date tells it, the month is first.
  void FindDateOrder(std::span<const std::size_t> columns, const std::string& wanted);
  io::DateOrder date_order() const { return date_order_; }

  bool Next();
  // True when a cell of the current row was refused, but rows go on.
  bool is_row_bad() const { return is_row_bad_; }
  const std::vector<BadRow>& bad() const { return bad_; }

  std::string_view Text(std::size_t column) const { return Trimmed(csv_.cell(column)); }
  // A number from 0 to `most`, inclusive.
  double Number(std::size_t column, double most);
  // Nothing for an empty cell or a column that is missing.
  std::optional<double> OptionalNumber(std::size_t column, double most);
  // A time in `unit`s, rounded to whole seconds; from 0 to a century.
  Duration Length(std::size_t column, Duration unit);
  // A date and time of day. Without an offset it is in the time zone of the options.
  Instant Clock(std::size_t column);

  // Ends the rows, or the current row, with an error about a cell of the row.
  void Refuse(std::size_t column, std::string allowed);
  // An error about the whole file that also tells its columns. `allowed` may be empty.
  Status Lacks(std::string what, const std::string& allowed) const;
  // Ends the rows with `status`, unless it is none or they have ended.
  void EndWith(Status status);
  // The error of the CSV reader, or the first wrong cell.
  Status status() const { return status_ ? csv_.status() : status_; }
  std::string where() const { return csv_.where(); }
  std::int64_t line() const { return csv_.line(); }

 private:
  std::string file_;
  io::TableSample sample_;
  io::CsvReader csv_;
  io::TimeZone zone_;
  io::DecimalMark decimal_ = io::DecimalMark::kPoint;
  io::DateOrder date_order_ = io::DateOrder::kMonthFirst;
  bool skips_bad_rows_;
  bool is_row_bad_ = false;
  std::vector<BadRow> bad_;
  std::vector<std::string> header_;
  Status status_;
};

}  // namespace heliostat::workload
