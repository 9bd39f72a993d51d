#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/number.h"

namespace heliostat::io {

// Reads comma-separated text row by row without copying it (RFC 4180; a byte
// order mark, CR LF and blank lines are fine). Separators are found 64 bytes at
// a time. What cannot be a table is an error with file and line: a NUL byte, a
// line over kLongestLine, a quote that never closes, a row whose number of
// cells differs from the header's.
//
//   CsvReader csv(text, "prices.csv");
//   while (csv.NextRow()) Use(csv.cell(0), csv.line());
//   if (!csv.status()) return Propagate(csv.status());
class CsvReader {
 public:
  static constexpr std::size_t kLongestLine = 65536;

  // `text` must outlive the reader and the cells it hands out. `file` is for messages.
  CsvReader(std::string_view text, std::string file);

  // Moves to the next row; false at the end or at an error. The first row, the
  // header, sets how many cells all others have.
  bool NextRow();

  std::size_t size() const { return row_is_plain_ ? width_ : cells_.size(); }
  std::string_view cell(std::size_t i) const {
    if (!row_is_plain_) return cells_[i];
    const char* const begin = marks_[i];
    return {begin, static_cast<std::size_t>(marks_[i + 1] - begin) - 1};
  }
  // Copies of all cells.
  std::vector<std::string> texts() const;
  // The cell as a number, as ParseNumber reads it; false when it is none.
  bool ReadNumber(std::size_t i, double& value) const {
    const std::string_view text = cell(i);
    return row_is_plain_ ? ParseNumberBefore(text.data() + text.size(), text.size(), value)
                         : ParseAnyNumber(text, value);
  }
  // The line that the row began on, counted from 1.
  std::int64_t line() const { return line_; }
  // "prices.csv:17", for messages about the current row.
  std::string where() const;
  const Status& status() const { return status_; }
  // What follows the current row, for a look ahead with a second reader.
  std::string_view rest() const { return text_.substr(position_); }
  // False when the text ends inside a line, as a file that was cut off does.
  bool ends_with_newline() const { return text_.empty() || text_.back() == '\n'; }

 private:
  bool TakePlainRow();
  bool TakeAnyRow();
  std::size_t NextSpecial();
  void SeekSpecial(std::size_t position);
  bool TakeQuotedCell(std::size_t& position);
  bool FinishRow(std::size_t end);
  bool Refuse(std::string what, std::string allowed);

  std::string_view text_;
  std::string file_;
  std::vector<std::string_view> cells_;  // of a row that is not plain
  // Of a plain row, where each cell begins and where one behind the last would.
  // One store a cell; a string_view stored in halves and loaded whole stalls the processor.
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
