#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"

namespace heliostat::history {

// The columns of sacct that the reader uses.
enum class Field {
  kJobId,
  kSubmit,
  kStart,
  kEnd,
  kElapsed,
  kTimeLimit,
  kState,
  kAllocTres,
  kReqTres,
  kAllocGres,
  kReqGres,
  kNodeList,
  kNodes,
  kUser,
  kName,
  kReservation,
  kComment,
};
inline constexpr std::size_t kFields = 17;

// The rows of a dump. sacct -P separates cells by bars and quotes nothing, so no cell can contain a bar; with -p each
// row ends in a bar. Not thread-safe.
class SacctTable {
 public:
  // `text` must outlive it. Reads the header; status() fails where it lacks a column.
  SacctTable(std::string_view text, std::string name);

  const Status& status() const { return status_; }
  // False at the end. Empty lines and repeated headers are skipped.
  bool Next();
  // Whether the row has as many cells as the header.
  bool is_whole() const { return cells_.size() == columns_; }
  bool is_last() const { return text_.find_first_not_of(" \t\r\n") == std::string_view::npos; }
  // Whether the text ends within the row: the last row has no line end.
  bool is_unended() const { return !has_line_end_; }

  // Of the present row, without blanks around. Empty for a column that the dump does not have.
  std::string_view Cell(Field field) const;
  bool Has(Field field) const { return index_[static_cast<std::size_t>(field)].has_value(); }
  std::size_t size() const { return cells_.size(); }
  std::size_t columns() const { return columns_; }
  std::string where() const;
  std::int64_t line() const { return line_; }
  std::size_t headers() const { return headers_; }

 private:
  std::string_view NextLine();
  void Split(std::string_view line);
  void FindColumns(const std::vector<std::string_view>& header);
  Status RefuseMissing(std::string_view header) const;

  std::string_view text_;  // what is left
  std::string name_;
  std::string_view header_;
  char delimiter_ = '|';
  bool ends_in_bar_ = false;
  bool has_line_end_ = true;  // of the present row
  std::array<std::optional<std::size_t>, kFields> index_{};
  std::size_t columns_ = 0;
  std::vector<std::string_view> cells_;
  std::int64_t line_ = 0;
  std::size_t headers_ = 0;  // repeated
  Status status_;
};

}  // namespace heliostat::history
