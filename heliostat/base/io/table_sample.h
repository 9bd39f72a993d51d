#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heliostat/base/core/error.h"
#include "heliostat/base/io/written_number.h"

namespace heliostat::io {

// The first rows of a table, split at one delimiter. A plain value type.
struct TableSample {
  char delimiter = ',';
  std::vector<std::vector<std::string>> rows;
  std::vector<std::int64_t> lines;  // of the rows
  std::size_t width = 0;            // cells of most rows
  double share = 0.0;               // of the rows with this width or one cell more or less; 0 for one column
  bool is_even = false;             // all rows have this width
  bool is_broken = false;           // a row is not one of a table
};

// Splits at `delimiter`.
TableSample SplitSample(std::string_view text, char delimiter);
// Splits at the tab, semicolon, bar or comma that separates the cells. It is the one that gives all rows the same
// number of cells, or else nearly all; of several, the first of this list, because decimal commas also separate.
TableSample FindDelimiter(std::string_view text);

// "comma", "semicolon", "tab", "pipe".
std::string DelimiterName(char delimiter);
// The delimiter of that name, or the character itself. kInvalidArgument for any other text.
Result<char> ParseDelimiter(const std::string& text);

// The mark of the numbers in `columns`, from all rows but the header. `file` and `option` are for the error of a table
// whose numbers have two readings: the file, and the option that decides.
Result<DecimalMark> FindDecimal(const TableSample& sample, std::span<const std::size_t> columns,
                                const std::string& file, std::string_view option);
// "point" or "comma". `where` is the place in errors.
Result<DecimalMark> ParseDecimal(const std::string& text, std::string_view where);
tl::unexpected<Error> UnknownDecimal(const std::string& file, std::string_view option);

}  // namespace heliostat::io
