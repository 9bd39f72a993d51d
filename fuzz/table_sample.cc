// Any bytes have a delimiter and a decimal mark, or one error. The sample of the table has a line for each row, and its
// width is that of a row. Every number is finite, and a number that both marks read alike has no mark.
#include "heliostat/base/io/table_sample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "heliostat/base/core/check.h"
#include "heliostat/base/io/written_time.h"

namespace {

using heliostat::Check;
using heliostat::io::DecimalMark;

void CheckCell(std::string_view cell) {
  const auto point = heliostat::io::ParseWrittenNumber(cell, DecimalMark::kPoint);
  const auto comma = heliostat::io::ParseWrittenNumber(cell, DecimalMark::kComma);
  Check((!point || std::isfinite(*point)) && (!comma || std::isfinite(*comma)), "a number is not finite");
  const bool has_mark = cell.find_first_of(".,") != std::string_view::npos;
  Check(has_mark || point == comma, "a number without a mark has two readings");
  const auto time = heliostat::io::ParseWrittenTime(cell, heliostat::io::DateOrder::kUnknown);
  if (time && !time->depends_on_order) {
    const auto other = heliostat::io::ParseWrittenTime(cell, heliostat::io::DateOrder::kMonthFirst);
    Check(other && other->local == time->local, "the order matters to a date that does not depend on it");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto sample = heliostat::io::FindDelimiter(text);
  Check(std::string_view(",;\t|").find(sample.delimiter) != std::string_view::npos, "the delimiter is another one");
  Check(sample.rows.size() == sample.lines.size() && std::ranges::is_sorted(sample.lines), "lines are wrong");
  const auto has_width = [&](const auto& row) { return row.size() == sample.width; };
  Check(sample.rows.empty() || std::ranges::any_of(sample.rows, has_width), "no row has the usual width");
  Check(!sample.is_even || std::ranges::all_of(sample.rows, has_width), "an even table has rows of another width");
  for (const auto& row : sample.rows) std::ranges::for_each(row, CheckCell);
  std::vector<std::size_t> columns(sample.width);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  const auto decimal = heliostat::io::FindDecimal(sample, columns, "fuzz.csv", "decimal");
  Check(!decimal || *decimal != DecimalMark::kUnknown, "the decimal mark is neither known nor an error");
  return 0;
}
