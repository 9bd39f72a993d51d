#pragma once

#include <optional>
#include <string_view>

namespace heliostat::io {

// The decimal mark of a table.
enum class DecimalMark { kUnknown, kPoint, kComma };

// Reads a number with this decimal mark; the other mark, blanks and apostrophes may separate thousands.
std::optional<double> ParseWrittenNumber(std::string_view text, DecimalMark mark);

// The unit behind the number in a cell: "kW" in "13,1 kW"; empty when there is none.
std::string_view UnitBehind(std::string_view cell);

// True for cells that stand for a missing value: "", "-", "n/a", "NaN", "null".
bool IsMissingMark(std::string_view text);

// Finds the decimal mark of a table from its cells. Not thread-safe.
class DecimalEvidence {
 public:
  void Add(std::string_view cell);
  // The mark in a table whose cells `delimiter` separates. kPoint when no cell has a mark, and kUnknown when each mark
  // could separate decimals as well as thousands ("1,234"). Only tables with semicolons use points for thousands
  // without any comma, so that "1.234" is certain in all others.
  DecimalMark Decide(char delimiter) const;

 private:
  bool is_point_ = false;
  bool is_comma_ = false;
  bool may_be_either_ = false;
  bool has_comma_ = false;
};

}  // namespace heliostat::io
