#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/number.h"

namespace heliostat::io {

// How the cells and rows of a table are written. A plain value type.
struct CsvDialect {
  char delimiter = ',';    // an ASCII character that is neither a quote nor the end of a line
  bool is_ragged = false;  // rows may have other numbers of cells than the first, and blanks before quotes
};

// Reads comma-separated text row by row without copying it (RFC 4180). Accepts a byte order mark, CR LF and blank
// lines. Finds separators 64 bytes at a time. Text that is not a table is an error with file and line: a NUL byte, a
// line over kLongestLine, an unclosed quote, a row with another number of cells than the header. After an error
// NextRow() returns false and status() holds the error. Not thread-safe.
//
//   CsvReader csv(text, "prices.csv");
//   while (csv.NextRow()) Use(csv.cell(0), csv.line());
//   if (!csv.status()) return Propagate(csv.status());
class CsvReader {
 public:
  // In bytes.
  static constexpr std::size_t kLongestLine = 65536;

  // `text` must outlive the reader and its cells. `file` is for messages.
  CsvReader(std::string_view text, std::string file, CsvDialect dialect = {});

  // Moves to the next row and invalidates the cells of the current one. False at the end or at an error. The first row,
  // the header, sets the number of cells of all rows, unless the dialect is ragged.
  bool NextRow();

  // Cells of the current row.
  std::size_t size() const { return row_is_plain_ ? width_ : cells_.size(); }
  // `i` must be below size(); not checked.
  std::string_view cell(std::size_t i) const {
    if (!row_is_plain_) return cells_[i];
    const char* const begin = marks_[i];
    return {begin, static_cast<std::size_t>(marks_[i + 1] - begin) - 1};
  }
  // Copies of all cells of the current row.
  std::vector<std::string> texts() const;
  // Reads the cell as a number, as ParseNumber() does; false when it is not one.
  bool ReadNumber(std::size_t i, double& value) const {
    const std::string_view text = cell(i);
    return row_is_plain_ ? ParseNumberBefore(text.data() + text.size(), text.size(), value)
                         : ParseAnyNumber(text, value);
  }
  // The line on which the current row begins, counted from 1.
  std::int64_t line() const { return line_; }
  // "prices.csv:17", for messages about the current row.
  std::string where() const;
  // An error once NextRow() has refused a row.
  const Status& status() const { return status_; }
  // The text after the current row, for a look ahead with a second reader.
  std::string_view rest() const { return text_.substr(position_); }
  // False when the text ends inside a line, as in a truncated file.
  bool ends_with_newline() const { return text_.empty() || text_.back() == '\n'; }

 private:
  bool TakePlainRow();
  bool TakeAnyRow();
  std::size_t NextSpecial();
  void SeekSpecial(std::size_t position);
  void SkipBlanksBeforeQuote(std::size_t& cell) const;
  bool TakeQuotedCell(std::size_t& position);
  bool FinishRow(std::size_t end);
  bool Refuse(std::string what, std::string allowed);

  std::string_view text_;
  std::string file_;
  CsvDialect dialect_;
  std::vector<std::string_view> cells_;  // of a row that is not plain
  // Of a plain row: the begin of each cell, and one position after the last. One store per cell: a string_view that is
  // stored in two halves and loaded as a whole stalls the processor.
  std::vector<const char*> marks_;
  std::deque<std::string> unquoted_;  // cells of the current row that held doubled quotes
  std::size_t width_ = 0;             // cells a row must have; 0 until the header is read
  std::size_t position_ = 0;
  std::size_t block_ = 0;   // start of the 64 bytes that mask_ describes
  std::uint64_t mask_ = 0;  // separators, quotes and NULs not yet visited
  std::int64_t line_ = 0;   // of the current row
  std::int64_t next_line_ = 1;
  bool row_is_plain_ = false;  // no quotes, and at least eight bytes of text before each cell's end
  Status status_;
};

}  // namespace heliostat::io
